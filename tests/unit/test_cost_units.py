"""Request units as AWS documents them; every expected number is worked out by hand."""

from typing import Any

import pytest

from tests.bench.cost.bill import polls_of
from tests.bench.cost.units import read_units, size_of, write_units

TABLE: dict[str, Any] = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
INDEX = {
    "KeySchema": [{"AttributeName": "due", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["seq"]},
}
INDEXED = {**TABLE, "GlobalSecondaryIndexes": [INDEX]}


def row(**fields: Any) -> dict[str, Any]:
    """Return a typed row of text and numbers."""
    types = {str: "S", int: "N"}
    return {name: {types[type(value)]: str(value)} for name, value in fields.items()}


class TestSize:
    @pytest.mark.parametrize(
        ("value", "size"),
        [
            ({"S": "abc"}, 3),
            ({"S": "é"}, 2),
            ({"N": "7"}, 2),
            ({"N": "1234"}, 4),
            ({"N": "12000"}, 3),
            ({"BOOL": True}, 1),
            ({"NULL": True}, 1),
            ({"L": [{"S": "ab"}, {"S": "c"}]}, 3 + 1 + 2 + 1 + 1),
            ({"M": {"key": {"S": "v"}}}, 3 + 1 + 3 + 1),
        ],
    )
    def test_a_row_is_its_names_and_its_values(self, value: Any, size: int) -> None:
        assert size_of({"name": value}) == 4 + size


class TestWrites:
    @pytest.mark.parametrize(("characters", "units"), [(10, 1), (1020, 1), (1021, 1), (1022, 2), (3000, 3)])
    def test_a_unit_for_each_kb(self, characters: int, units: int) -> None:
        # "id" and "v" take 2 bytes, the name "x" one more.
        after = row(id="v", x="y" * (characters - 1))
        assert write_units(TABLE, None, after, in_transaction=False) == units

    def test_the_larger_of_before_and_after_counts(self) -> None:
        large, small = row(id="v", x="y" * 2000), row(id="v", x="y")
        assert write_units(TABLE, large, small, in_transaction=False) == 2

    def test_a_transaction_costs_twice(self) -> None:
        assert write_units(TABLE, None, row(id="v"), in_transaction=True) == 2

    @pytest.mark.parametrize(
        ("before", "after", "units"),
        [
            (None, row(id="v", due="d", at=1), 1 + 1),
            (row(id="v", due="d", at=1), row(id="v", due="d", at=1, other="x"), 1 + 0),
            (row(id="v", due="d", at=1, seq=1), row(id="v", due="d", at=1, seq=2), 1 + 1),
            (row(id="v", due="d", at=1), row(id="v", due="d", at=2), 1 + 2),
            (row(id="v", due="d", at=1), row(id="v"), 1 + 1),
            (row(id="v"), row(id="v", other="x"), 1 + 0),
        ],
        ids=["comes", "not projected", "projected", "moves", "leaves", "was never in it"],
    )
    def test_an_index_is_written_where_its_entry_changes(self, before: Any, after: Any, units: int) -> None:
        assert write_units(INDEXED, before, after, in_transaction=False) == units


class TestReads:
    def test_a_unit_for_each_4_kb_and_half_of_it_where_it_may_be_old(self) -> None:
        large = row(id="v", x="y" * 5000)
        assert read_units([large], is_consistent=True, together=False) == 2
        assert read_units([large], is_consistent=False, together=False) == 1

    def test_a_query_adds_the_rows_up_before_it_rounds(self) -> None:
        rows = [row(id="v", x="y" * 1000)] * 4
        assert read_units(rows, is_consistent=True, together=True) == 1
        assert read_units(rows, is_consistent=True, together=False) == 4

    def test_nothing_found_is_paid_for_too(self) -> None:
        assert read_units([], is_consistent=False, together=True) == 0.5


class TestPolls:
    def test_a_job_is_polled_from_2_s_on_every_second_at_first(self) -> None:
        # Polls at 2, 3, … 9 s find it pending; that at 10 s finds it done.
        assert polls_of(10) == 8
