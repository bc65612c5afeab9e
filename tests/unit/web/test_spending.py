"""What the pages show of an account's statistics."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tollgate.usage.counts import ByName, Counts, DayCounts
from tollgate.usage.period import Period
from tollgate.web.spending import MAX_SERIES, OTHER, Grouping, spending

NOVEMBER = Period("custom", date(2026, 11, 1), date(2026, 11, 30))
MODELS = [f"model-{number}" for number in range(9)]
A_DAY = st.dictionaries(
    st.sampled_from(MODELS),
    st.builds(Counts, st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 9), st.integers(0, 9)),
)
DAYS = st.dictionaries(st.sampled_from(NOVEMBER.days()), A_DAY)


def of_models(days: dict[str, ByName]) -> dict[str, DayCounts]:
    """Return days with counts by model alone."""
    return {day: DayCounts(counts, {}) for day, counts in days.items()}


class TestSpending:
    @given(DAYS)
    def test_the_series_and_the_total_are_what_was_spent_less_what_came_back(
        self, days: dict[str, ByName]
    ) -> None:
        everything = [counts for day in days.values() for counts in day.values()]
        expected = sum(counts.spent_micro_usd - counts.refunded_micro_usd for counts in everything)
        found = spending(NOVEMBER, of_models(days))
        assert found.total_micro_usd == sum(amount for _, amount in found.chart.series) == expected
        assert found.tasks == sum(counts.tasks for counts in everything)
        assert found.requests == sum(counts.requests for counts in everything)
        assert len(found.chart.series) <= MAX_SERIES + 1

    def test_the_dearest_have_a_colour_each_and_the_rest_one_together(self) -> None:
        costs = {model: Counts(spent_micro_usd=900 - n) for n, model in enumerate(MODELS)}
        found = spending(NOVEMBER, of_models({"2026-11-30": costs}))
        assert found.chart.series == [
            *((model, 900 - n) for n, model in enumerate(MODELS[:MAX_SERIES])),
            (OTHER, sum(900 - n for n in range(MAX_SERIES, len(MODELS)))),
        ]
        assert found.today_micro_usd == found.total_micro_usd

    def test_by_key_it_is_the_keys_that_are_counted(self) -> None:
        day = DayCounts({"test-image": Counts(30)}, {"key_a": Counts(20), "": Counts(10)})
        found = spending(NOVEMBER, {"2026-11-02": day}, Grouping.KEY)
        assert found.chart.series == [("key_a", 20), ("", 10)]
        assert found.today_micro_usd == 0
