"""A write from a template is the write that its parts make."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.dynamodb.expressions import Add, AtMost, Missing, SetIfMissing, Slot
from tollgate.kit.dynamodb.templates import FilledMark, Template, filled
from tollgate.kit.dynamodb.writes import CountingWrite, MarkedWrite, leave

COUNT = Template(
    ("id", "item"),
    Add("spent", Slot("amount"), start=0),
    SetIfMissing("value", Slot("value")),
    condition=Missing("spent") | AtMost("spent", Slot("most")),
)
GIVE = Template(("id", "item"), Add("50%", Slot("amount"), start=7))
texts = st.text(max_size=20)


@given(table=texts, key=st.tuples(texts, texts), value=texts, amount=st.integers(), most=st.integers())
def test_any_values_make_the_same_request(
    table: str, key: tuple[str, str], value: str, amount: int, most: int
) -> None:
    names = dict(zip(("id", "item"), key, strict=True))
    found = filled(COUNT, table, {**names, "amount": amount, "value": value, "most": most})
    made = CountingWrite(
        table,
        key=names,
        update=(Add("spent", amount, start=0), SetIfMissing("value", value)),
        condition=Missing("spent") | AtMost("spent", most),
    )
    assert found.request() == json.loads(found.text()) == made.request()
    assert (found.kind(), found.row) == (made.kind(), made.row)


@given(step=texts, value=st.integers() | texts | st.lists(texts), amount=st.integers())
def test_a_step_of_a_path_and_the_mark_are_parts_of_it(step: str, value: Any, amount: int) -> None:
    slots = Template(("id",), Add("left", Slot("amount")), mark=leave(("holds", Slot("step")), Slot("value")))
    values = {"id": "a", "step": step, "value": value, "amount": amount}
    mark = leave(("holds", step), value)
    found = FilledMark("T", key={"id": "a"}, template=slots, values=values, mark=mark)
    made = MarkedWrite("T", key={"id": "a"}, update=(Add("left", amount),), mark=mark)
    assert found.request() == made.request()
    for row in ({}, {"holds": {step: value}}, {"holds": {step: "another"}}):
        assert found.is_done(row) == made.is_done(row)


def test_a_write_without_a_condition_asks_for_no_row() -> None:
    request = filled(GIVE, "T", {"id": "a", "item": "b", "amount": -3}).request()
    assert request == {
        "TableName": "T",
        "Key": {"id": {"S": "a"}, "item": {"S": "b"}},
        "UpdateExpression": "SET #n0 = if_not_exists(#n0, :v0) + :v1",
        "ExpressionAttributeNames": {"#n0": "50%"},
        "ExpressionAttributeValues": {":v0": {"N": "7"}, ":v1": {"N": "-3"}},
    }


def test_a_value_that_is_missing_is_loud() -> None:
    with pytest.raises(KeyError):
        filled(COUNT, "T", {"id": "a", "item": "b", "amount": 1}).text()
