"""The geometry of the charts."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tollgate.web.chart import MAX_DAY_LABELS, Chart, axis_end, stacked

NAMES = ("a", "b", "c")
AMOUNTS = st.integers(-(10**6), 10**12)
DAYS = st.dictionaries(
    st.dates().map(str), st.dictionaries(st.sampled_from(NAMES), AMOUNTS), min_size=1, max_size=60
)
Amounts = dict[str, dict[str, int]]


def drawn(days: Amounts) -> Chart:
    """Return the chart of some days, with all names as series."""
    return stacked(days, [(name, 0) for name in NAMES])


class TestStacked:
    @given(DAYS)
    def test_the_parts_of_a_day_stand_on_each_other_from_the_ground_up(self, days: Amounts) -> None:
        chart = drawn(days)
        for day, amounts in days.items():
            ground = Decimal(100)
            for part in (part for part in chart.parts if part.day == day):
                assert Decimal(part.y) + Decimal(part.height) == ground
                assert part.amount == amounts[part.label] > 0
                ground = Decimal(part.y)
            assert ground >= 0

    @given(DAYS)
    def test_days_stand_side_by_side_in_order(self, days: Amounts) -> None:
        ends, before = Decimal(0), ""
        order = list(days)
        for part in drawn(days).parts:
            if part.day != before:
                assert not before or order.index(before) < order.index(part.day)
                assert Decimal(part.x) >= ends
            before, ends = part.day, Decimal(part.x) + Decimal(part.width)
            assert ends <= 100

    def test_half_as_much_is_half_as_high(self) -> None:
        chart = drawn({"2026-11-01": {"a": 50}, "2026-11-02": {"a": 60, "b": 40}})
        assert [part.height for part in chart.parts] == ["50.000", "60.000", "40.000"]
        assert [part.y for part in chart.parts] == ["50.000", "40.000", "0.000"]

    def test_what_came_back_is_no_column(self) -> None:
        assert drawn({"2026-11-01": {"a": -5}}).parts == []

    def test_few_days_are_all_labelled_and_many_evenly(self) -> None:
        days = [f"2026-11-{day:02}" for day in range(1, 31)]
        assert drawn({day: {} for day in days[:4]}).days == days[:4]
        labels = drawn({day: {} for day in days}).days
        assert (len(labels), labels[0], labels[-1]) == (MAX_DAY_LABELS, days[0], days[-1])


class TestTheAxis:
    def test_it_ends_at_a_cent_where_nothing_was_spent(self) -> None:
        assert drawn({"2026-11-01": {}}).ticks == [10_000, 5_000, 0]

    @given(st.integers(1, 10**14))
    def test_it_ends_at_a_round_number_that_all_fit_below(self, most: int) -> None:
        end = axis_end(most)
        assert most <= end <= max(10, 2 * most + most // 2)
        assert str(end).rstrip("0") in {"1", "2", "4", "5"}
        assert drawn({"2026-11-01": {"a": most}}).ticks == [end, end // 2, 0]
