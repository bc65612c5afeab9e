"""Changes and conditions as values: what they say is judged by boto3's own builder and by moto's parser."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, ConditionBase, ConditionExpressionBuilder
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from tests.support.tables import OK, Tables
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import (
    Add,
    AllOf,
    AnyOf,
    AtLeast,
    AtMost,
    Below,
    Between,
    Change,
    Condition,
    Equals,
    Exists,
    Missing,
    Placeholders,
    Remove,
    Set,
    SetIfMissing,
    Size,
    render_update,
)
from tollgate.kit.dynamodb.rows import Item, from_attributes
from tollgate.kit.dynamodb.writes import CountingWrite, Write, with_changes


class NotNowError(Exception):
    """The condition did not hold."""


@dataclass(frozen=True)
class Twin:
    """A condition of ours, the same in boto3's words, and whether it holds of a row."""

    ours: Condition
    theirs: ConditionBase
    holds: Callable[[Item], bool]


ROW: Item = {"id": "a", "n": 3, "#odd.name": 7, "holds": {"req.1": {"amount": 5}}, "secrets": ["s1", "s2"]}
LEAVES = [
    Twin(Equals("n", 3), Attr("n").eq(3), lambda row: row["n"] == 3),
    Twin(Equals("n", 4), Attr("n").eq(4), lambda row: row["n"] == 4),
    Twin(Below("n", 3), Attr("n").lt(3), lambda row: row["n"] < 3),
    Twin(AtMost("n", 3), Attr("n").lte(3), lambda row: row["n"] <= 3),
    Twin(AtLeast("n", 4), Attr("n").gte(4), lambda row: row["n"] >= 4),
    Twin(Between("n", 2, 3), Attr("n").between(2, 3), lambda row: 2 <= row["n"] <= 3),
    Twin(Exists("gone"), Attr("gone").exists(), lambda row: "gone" in row),
    Twin(Missing("gone"), Attr("gone").not_exists(), lambda row: "gone" not in row),
    Twin(Equals(Size("holds"), 1), Attr("holds").size().eq(1), lambda row: len(row["holds"]) == 1),
    Twin(Equals(("secrets", 1), "s2"), Attr("secrets[1]").eq("s2"), lambda row: row["secrets"][1] == "s2"),
]


def _joined(word: str, parts: list[Twin]) -> Twin:
    ours = AllOf if word == "and" else AnyOf
    theirs = parts[0].theirs
    for part in parts[1:]:
        theirs = theirs & part.theirs if word == "and" else theirs | part.theirs
    every = all if word == "and" else any
    return Twin(
        ours(*(part.ours for part in parts)), theirs, lambda row: every(part.holds(row) for part in parts)
    )


TWINS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.builds(_joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=8,
)


def rendered(condition: Condition) -> str:
    """Return a condition with its placeholders filled in."""
    to = Placeholders()
    text = condition.render(to)
    for placeholder, name in reversed(to.names.items()):
        text = text.replace(placeholder, name)
    for placeholder, value in reversed(to.attributes.items()):
        text = text.replace(placeholder, repr(from_attributes({"is": value})["is"]))
    return text


class InMemory:
    """Our own tables for simulations, as the same client."""

    def __init__(self) -> None:
        self._tables = Tables({"Things": {"KeySchema": [{"AttributeName": "id"}]}})

    def __getattr__(self, name: str) -> Any:
        operation = "".join(part.capitalize() for part in name.split("_"))

        def call(**request: Any) -> dict[str, Any]:
            status, answer = self._tables.call(operation, request)
            if status != OK:
                response: Any = {"Error": {"Code": answer["__type"].rpartition("#")[2]}, **answer}
                raise ClientError(response, operation)
            return answer

        return call


@pytest.fixture(scope="module", params=["moto", "in memory"])
def things(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "in memory":
        yield InMemory()
        return
    with mock_aws():
        client = boto3.client("dynamodb", region_name="us-east-1")
        client.create_table(
            TableName="Things",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        )
        yield client


def after(things: Any, row: Item, *changes: Change, condition: Condition | None = None) -> Item:
    """Return a row as an update leaves it. Raises `NotNowError`."""
    db = Database(things)
    db.write(Write("Things", item=row))
    db.transact(
        [CountingWrite("Things", None, {"id": row["id"]}, changes, condition, lambda _: NotNowError())]
    )
    found = db.get("Things", {"id": row["id"]})
    assert found is not None
    return found


class TestConditions:
    @given(TWINS)
    def test_any_nesting_means_what_it_says(self, things: Any, twin: Twin) -> None:
        try:
            after(things, ROW, Set("x", 1), condition=twin.ours)
        except NotNowError:
            assert not twin.holds(ROW)
        else:
            assert twin.holds(ROW)

    @pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: repr(leaf.ours))
    def test_each_is_written_as_boto3_writes_it(self, leaf: Twin) -> None:
        built = ConditionExpressionBuilder().build_expression(leaf.theirs)
        theirs = built.condition_expression
        for placeholder, name in built.attribute_name_placeholders.items():
            theirs = theirs.replace(placeholder, name)
        for placeholder, value in built.attribute_value_placeholders.items():
            theirs = theirs.replace(placeholder, repr(value))
        assert rendered(leaf.ours) == theirs

    def test_an_or_beside_an_and_has_parentheses_whoever_joins_them(self) -> None:
        first, second, third = Missing("a"), Below("a", 1), Exists("b")
        assert rendered(third & (first | second)) == (
            "(attribute_exists(b) AND (attribute_not_exists(a) OR a < 1))"
        )
        write = CountingWrite("Things", key={"id": "a"}, condition=first | second)
        write = with_changes(write, Set("x", 1), condition=third)
        assert write.condition is not None
        assert rendered(write.condition) == "((attribute_not_exists(a) OR a < 1) AND attribute_exists(b))"

    def test_one_of_a_kind_inside_itself_is_one_group(self) -> None:
        """DynamoDB refuses an expression with redundant parentheses."""
        parts = [Exists(name) for name in "abc"]
        once = "(attribute_exists(a) AND attribute_exists(b) AND attribute_exists(c))"
        assert rendered(parts[0] & parts[1] & parts[2]) == once
        assert rendered(parts[0] & (parts[1] & parts[2])) == once
        assert rendered(AnyOf(AllOf(AnyOf(AllOf(*parts))))) == once

    def test_a_group_of_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no conditions"):
            AllOf()

    def test_a_write_gets_conditions_whether_it_had_one_or_not(self) -> None:
        bare = CountingWrite("Things", key={"id": "a"})
        assert with_changes(bare, Set("x", 1)).condition is None
        conditional = with_changes(bare, condition=Exists("a"))
        assert conditional.condition == Exists("a")
        assert with_changes(conditional, Set("x", 1)).condition == Exists("a")


class TestChanges:
    def test_all_kinds_in_one_update(self, things: Any) -> None:
        row = {
            "id": "a",
            "n": 3,
            "old": 1,
            "kept": 1,
            "holds": {"req.1": {"amount": 5, "until": 1}, "r2": {}},
        }
        assert after(
            things,
            row,
            Add("n", -5),
            Remove("old"),
            Add("new", -2, start=2),
            Set(("holds", "req.1", "until"), 9),
            SetIfMissing("kept", 2),
            SetIfMissing("made", 2),
            Remove(("holds", "r2")),
        ) == {
            "id": "a",
            "n": -2,
            "new": 0,
            "kept": 1,
            "made": 2,
            "holds": {"req.1": {"amount": 5, "until": 9}},
        }

    def test_each_clause_stands_once_whatever_the_order(self) -> None:
        changes: list[Change] = [Set("a", 1), Remove("b"), Add("c", 1), Remove("d")]
        for order in itertools.permutations(changes):
            text = render_update(order, Placeholders())
            assert text.count("SET ") == text.count("REMOVE ") == 1

    @pytest.mark.parametrize("name", ["name", "#odd.name", "spent#key_1#2026-11-21", "size", "a-b", "ü"])
    def test_any_name_is_a_name(self, things: Any, name: str) -> None:
        """`name` and `size` are among DynamoDB's reserved words, a dot would be a path."""
        row = after(things, {"id": "a"}, Set(name, 1), condition=Missing(name))
        assert row == {"id": "a", name: 1}
        assert after(things, row, Add(name, 1), condition=Equals(name, 1)) == {"id": "a", name: 2}

    def test_a_name_has_one_placeholder_and_each_value_one_of_its_own(self) -> None:
        request = CountingWrite(
            "Things", key={"id": "a"}, update=(Add("n", 1), Set("m", 1)), condition=Below("n", 1)
        ).request()
        assert request["ExpressionAttributeNames"] == {"#n0": "n", "#n1": "m"}
        assert request["ExpressionAttributeValues"] == {
            ":v0": {"N": "1"},
            ":v1": {"N": "1"},
            ":v2": {"N": "1"},
        }
