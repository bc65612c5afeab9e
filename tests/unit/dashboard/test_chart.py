"""The geometry of the charts."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tollgate.dashboard.chart import columns, share

AMOUNTS = st.lists(st.integers(0, 10**12), min_size=1, max_size=366)


class TestColumns:
    @given(AMOUNTS)
    def test_they_stand_side_by_side_inside_the_field(self, amounts: list[int]) -> None:
        drawn = columns([(str(n), amount) for n, amount in enumerate(amounts)])
        ends = Decimal(0)
        for column in drawn:
            assert Decimal(column.x) >= ends
            ends = Decimal(column.x) + Decimal(column.width)
            assert Decimal(column.y) + Decimal(column.height) == 100
        assert ends <= 100

    @given(AMOUNTS.filter(any))
    def test_the_highest_fills_the_field(self, amounts: list[int]) -> None:
        drawn = columns([(str(n), amount) for n, amount in enumerate(amounts)])
        assert Decimal(drawn[amounts.index(max(amounts))].height) == 100

    def test_half_as_much_is_half_as_high(self) -> None:
        assert [column.height for column in columns([("a", 50), ("b", 100)])] == ["50.000", "100.000"]

    def test_nothing_spent_is_a_flat_line(self) -> None:
        assert [column.height for column in columns([("a", 0), ("b", 0)])] == ["0.000", "0.000"]

    def test_no_days_are_no_columns(self) -> None:
        assert columns([]) == []


class TestShare:
    def test_it_is_percent(self) -> None:
        assert (share(1, 3), share(3, 3), share(0, 0)) == ("33.333", "100.000", "0.000")
