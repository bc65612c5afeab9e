"""What the pages show of an account's usage: a metric by day and group, and the address that asks for it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.usage.counts import Counts, DayCounts
from tollgate.usage.period import Period
from tollgate.web.usage_chart import MAX_SERIES, OTHER, Metric, Sample, by_model, usage
from tollgate.web.usage_query import usage_query

NOVEMBER = Period("custom", date(2026, 11, 1), date(2026, 11, 30))
TODAY = "2026-11-26"
MODELS = [f"model-{number}" for number in range(9)]
COUNT = st.integers(0, 9)
MONEY = st.integers(0, 10**9)
SAMPLES = st.lists(
    st.builds(
        Sample,
        st.sampled_from(NOVEMBER.days()),
        st.sampled_from(MODELS),
        st.builds(Counts, MONEY, MONEY, COUNT, COUNT, COUNT, COUNT),
        st.integers(0, 1),
        st.none() | st.integers(0, 10**6),
    ),
    max_size=60,
)
# The sum of a metric over samples, as the pages define it.
MEANING = {
    Metric.SPEND: lambda each: each.counts.spent_micro_usd - each.counts.refunded_micro_usd,
    Metric.REQUESTS: lambda each: each.counts.tasks + each.counts.requests,
    Metric.TOKENS: lambda each: each.counts.input_tokens + each.counts.output_tokens,
    Metric.ERRORS: lambda each: each.errors,
}


class TestUsage:
    @given(SAMPLES, st.sampled_from(list(MEANING)))
    def test_the_legend_and_the_total_are_the_sums_of_the_samples(
        self, samples: list[Sample], metric: Metric
    ) -> None:
        expected = sum(MEANING[metric](each) for each in samples)
        found = usage(NOVEMBER, samples, metric)
        assert found.total.amount(metric) == sum(amount for _, amount in found.chart.series) == expected
        assert len(found.chart.series) <= MAX_SERIES + 1
        assert [amount for _, amount in found.chart.series[:MAX_SERIES]] == sorted(
            (sums.amount(metric) for _, sums in found.groups), reverse=True
        )[:MAX_SERIES]

    @given(SAMPLES)
    def test_a_share_of_the_durations_does_not_exceed_the_percentile(self, samples: list[Sample]) -> None:
        durations = [each.latency_ms for each in samples if each.latency_ms is not None]
        found = usage(NOVEMBER, samples, Metric.LATENCY)
        for share, percent in (("p50", 50), ("p95", 95)):
            within = [each for each in durations if each <= found.total.latency_ms(share)]
            assert 100 * len(within) >= percent * len(durations)
            below = [each for each in durations if each < found.total.latency_ms(share)]
            assert not durations or 100 * len(below) < percent * len(durations)

    def test_the_column_of_a_latency_ends_at_the_slow_one(self) -> None:
        samples = [Sample("2026-11-30", "m", Counts(requests=1), 0, ms) for ms in (100, 200, 900)]
        found = usage(NOVEMBER, samples, Metric.LATENCY)
        assert [(part.label, part.amount) for part in found.chart.parts] == [("p50", 200), ("p95", 700)]
        assert found.chart.series == [("p50", 200), ("p95", 900)]

    def test_the_dearest_have_a_colour_each_and_the_rest_one_together(self) -> None:
        costs = {model: Counts(spent_micro_usd=900 - n) for n, model in enumerate(MODELS)}
        found = usage(NOVEMBER, by_model({"2026-11-30": DayCounts(costs, {})}))
        assert found.chart.series == [
            *((model, 900 - n) for n, model in enumerate(MODELS[:MAX_SERIES])),
            (OTHER, sum(900 - n for n in range(MAX_SERIES, len(MODELS)))),
        ]
        assert found.last_day == found.total


class TestTheAddress:
    @pytest.mark.parametrize(
        ("sent", "days"),
        [
            ({}, ("30d", "2026-10-28", TODAY)),
            ({"range": "today"}, ("today", TODAY, TODAY)),
            ({"range": "month"}, ("month", "2026-11-01", TODAY)),
            ({"range": "last-month"}, ("last-month", "2026-10-01", "2026-10-31")),
            ({"range": "year"}, ("year", "2025-11-26", TODAY)),
            ({"range": "forever"}, ("30d", "2026-10-28", TODAY)),
            ({"range": "custom"}, ("30d", "2026-10-28", TODAY)),
            ({"range": "7d", "from": "2026-01-01"}, ("7d", "2026-11-20", TODAY)),
            ({"from": "2026-01-02", "to": "2026-02-03"}, ("custom", "2026-01-02", "2026-02-03")),
            ({"from": "2026-11-20"}, ("custom", "2026-11-20", TODAY)),
            ({"to": "2026-03-31"}, ("custom", "2026-03-02", "2026-03-31")),
            ({"from": "2027-01-01"}, ("custom", "2027-01-01", "2027-01-01")),
        ],
    )
    def test_its_days(self, sent: dict[str, str], days: tuple[str, str, str]) -> None:
        found = usage_query(sent, TODAY)
        assert (found.range, found.first, found.last) == days
        assert usage_query(found.address, TODAY) == found

    @pytest.mark.parametrize(
        ("sent", "is_rolled_up"),
        [
            ({}, True),
            ({"metric": "errors"}, False),
            ({"metric": "tokens", "by": "member"}, True),
            ({"model": "kling-3.0"}, True),
            ({"model": "kling-3.0", "by": "key"}, False),
            ({"by": "key", "key": "key_1"}, True),
            ({"by": "tag", "tag": "team", "label": "team=a"}, True),
            ({"by": "tag", "tag": "team", "label": "job=a"}, False),
            ({"status": "failed"}, False),
        ],
    )
    def test_the_roll_up_answers_if_it_has_all_that_is_asked_for(
        self, sent: dict[str, str], is_rolled_up: bool
    ) -> None:
        assert usage_query(sent, TODAY).is_rolled_up is is_rolled_up
