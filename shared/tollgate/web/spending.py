"""The spending that the pages show, from an account's statistics: charges less refunds. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tollgate.usage.counts import ByName, Counts, DayCounts, by_descending_cost, total
from tollgate.usage.period import Period
from tollgate.web.chart import Chart, stacked

# The number of distinguishable colours. The models or keys with the lowest costs share one.
MAX_SERIES = 6
OTHER = "other"
NONE = DayCounts({}, {})


class Grouping(StrEnum):
    """The property by which a day's spending is divided."""

    MODEL = "model"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Spending:
    """The spending of a period: charges less refunds in micro-USD, and the numbers of tasks and requests.

    `names` has the sums of all models or keys, the highest first. `chart` has a separate part for the first
    of them.
    """

    total_micro_usd: int
    today_micro_usd: int
    tasks: int
    requests: int
    names: list[tuple[str, Counts]]
    chart: Chart


def spending(period: Period, days: Mapping[str, DayCounts], by: Grouping = Grouping.MODEL) -> Spending:
    """Return the spending from a result of `StatisticsService.days`. The chart has every day."""
    of_day = {day: _named(days.get(day, NONE), by) for day in period.days()}
    sums = by_descending_cost(of_day.values())
    shown = {name for name, _ in sums[:MAX_SERIES]}
    amounts = {day: _amounts(counts, shown) for day, counts in of_day.items()}
    everything = total(counts for _, counts in sums)
    return Spending(
        total_micro_usd=net(everything),
        today_micro_usd=net(total(of_day[period.days()[-1]].values())),
        tasks=everything.tasks,
        requests=everything.requests,
        names=sums,
        chart=stacked(amounts, _series(sums)),
    )


def net(counts: Counts) -> int:
    """Return charges less refunds, in micro-USD."""
    return counts.spent_micro_usd - counts.refunded_micro_usd


def _named(day: DayCounts, by: Grouping) -> ByName:
    return day.by_key if by is Grouping.KEY else day.by_model


def _series(sums: list[tuple[str, Counts]]) -> list[tuple[str, int]]:
    """Return the names with a colour and their sums; the last item is the sum of all others."""
    shown = [(name, net(counts)) for name, counts in sums[:MAX_SERIES]]
    rest = sums[MAX_SERIES:]
    return [*shown, (OTHER, sum(net(counts) for _, counts in rest))] if rest else shown


def _amounts(counts: ByName, shown: set[str]) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for name, each in counts.items():
        series = name if name in shown else OTHER
        amounts[series] = amounts.get(series, 0) + net(each)
    return amounts
