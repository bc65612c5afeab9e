"""The usage that the pages show: one metric by day, for each model, key, member or label. Pure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from tollgate.usage.counts import Counts, DayCounts
from tollgate.usage.period import Period
from tollgate.web.chart import EMPTY_END, Chart, stacked

# The number of distinguishable colours. The groups with the lowest sums share one.
MAX_SERIES = 6
OTHER = "other"
# The end of an empty axis that counts things.
NO_COUNT = 10
MEDIAN, SLOW = "p50", "p95"
_SHARES = {MEDIAN: 50, SLOW: 95}


class Metric(StrEnum):
    """What the chart counts."""

    SPEND = "spend"
    """Charges less refunds, in micro-USD."""
    REQUESTS = "requests"
    TOKENS = "tokens"
    """Tokens in and out of text requests."""
    ERRORS = "errors"
    """Failed and expired requests."""
    LATENCY = "latency"
    """The durations of requests that ended, in ms."""


# The metrics that the daily roll-up has.
ROLLED_UP = (Metric.SPEND, Metric.REQUESTS, Metric.TOKENS)


class Sample(NamedTuple):
    """The counts of one group on one day, or of one request."""

    day: str
    group: str
    counts: Counts
    errors: int = 0
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of some samples. `latencies_ms` is sorted."""

    counts: Counts
    errors: int
    latencies_ms: tuple[int, ...]

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Self:
        """Return the sums of some samples."""
        counts, errors, latencies = Counts(), 0, []
        for sample in samples:
            counts = counts.plus(sample.counts)
            errors += sample.errors
            if sample.latency_ms is not None:
                latencies.append(sample.latency_ms)
        return cls(counts, errors, tuple(sorted(latencies)))

    @property
    def net_micro_usd(self) -> int:
        """Return charges less refunds."""
        return self.counts.spent_micro_usd - self.counts.refunded_micro_usd

    @property
    def requests(self) -> int:
        """Return the number of generations and text requests."""
        return self.counts.tasks + self.counts.requests

    def latency_ms(self, share: str) -> int:
        """Return the duration that this share of the requests does not exceed, or 0 if none ended."""
        count = len(self.latencies_ms)
        return self.latencies_ms[math.ceil(count * _SHARES[share] / 100) - 1] if count else 0

    def amount(self, metric: Metric) -> int:
        """Return the sum of a metric; for the latency, the duration that 95 % do not exceed."""
        match metric:
            case Metric.SPEND:
                return self.net_micro_usd
            case Metric.REQUESTS:
                return self.requests
            case Metric.TOKENS:
                return self.counts.input_tokens + self.counts.output_tokens
            case Metric.ERRORS:
                return self.errors
            case Metric.LATENCY:
                return self.latency_ms(SLOW)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a period. `groups` has the sums of each group, the highest of the metric first."""

    metric: Metric
    total: Sums
    last_day: Sums
    groups: list[tuple[str, Sums]]
    chart: Chart


def usage(period: Period, samples: Iterable[Sample], metric: Metric = Metric.SPEND) -> Usage:
    """Return the usage of the samples, which are of days of the period. The chart has every day."""
    everything = list(samples)
    of_day: dict[str, list[Sample]] = {day: [] for day in period.days()}
    of_group: dict[str, list[Sample]] = {}
    for each in everything:
        of_day[each.day].append(each)
        of_group.setdefault(each.group, []).append(each)
    sums = [(name, Sums.of(some)) for name, some in of_group.items()]
    sums.sort(key=lambda pair: (-pair[1].amount(metric), -pair[1].counts.spent_micro_usd, pair[0]))
    total = Sums.of(everything)
    return Usage(
        metric=metric,
        total=total,
        last_day=Sums.of(of_day[period.days()[-1]]),
        groups=sums,
        chart=_latencies(of_day, total) if metric is Metric.LATENCY else _stacks(of_day, sums, metric),
    )


def by_model(days: Mapping[str, DayCounts]) -> list[Sample]:
    """Return the samples of a result of `StatisticsService.days`, by model."""
    return [Sample(day, name, each) for day, counts in days.items() for name, each in counts.by_model.items()]


def _stacks(days: Mapping[str, list[Sample]], sums: list[tuple[str, Sums]], metric: Metric) -> Chart:
    """Return a chart with a part for each of the highest groups, and one for all others."""
    series = [(name, each.amount(metric)) for name, each in sums[:MAX_SERIES]]
    if rest := sums[MAX_SERIES:]:
        series.append((OTHER, sum(each.amount(metric) for _, each in rest)))
    shown = {name for name, _ in series}
    amounts: dict[str, dict[str, int]] = {}
    for day, samples in days.items():
        of_day = amounts.setdefault(day, {})
        for sample in samples:
            name = sample.group if sample.group in shown else OTHER
            of_day[name] = of_day.get(name, 0) + Sums.of([sample]).amount(metric)
    return stacked(amounts, series, EMPTY_END if metric is Metric.SPEND else NO_COUNT)


def _latencies(days: Mapping[str, list[Sample]], total: Sums) -> Chart:
    """Return a chart whose columns end at the slow duration; the lower part ends at the median."""
    amounts = {}
    for day, samples in days.items():
        sums = Sums.of(samples)
        median = sums.latency_ms(MEDIAN)
        amounts[day] = {MEDIAN: median, SLOW: sums.latency_ms(SLOW) - median}
    return stacked(amounts, [(share, total.latency_ms(share)) for share in _SHARES], NO_COUNT)
