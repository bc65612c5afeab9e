"""What the pages show of an account's statistics: what was spent, less what came back. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tollgate.dashboard.chart import Chart, stacked
from tollgate.usage.counts import ByName, Counts, DayCounts, dearest_first, total
from tollgate.usage.period import Period

# Colours that can be told apart; what is cheaper is shown as one.
MAX_SERIES = 6
OTHER = "other"
NONE = DayCounts({}, {})


class Grouping(StrEnum):
    """What a day's spending is divided by."""

    MODEL = "model"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Spending:
    """What a page shows of a period: charges less refunds, in micro-USD, and how much was asked for.

    `names` has the sums of all models or keys, the dearest first; `chart` has a part of its own for the first
    of them.
    """

    total_micro_usd: int
    today_micro_usd: int
    tasks: int
    requests: int
    names: list[tuple[str, Counts]]
    chart: Chart


def spending(period: Period, days: Mapping[str, DayCounts], by: Grouping = Grouping.MODEL) -> Spending:
    """Return what to show of `StatisticsService.days`; the chart has every day of the period."""
    of_day = {day: _named(days.get(day, NONE), by) for day in period.days()}
    sums = dearest_first(of_day.values())
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
    """Return what was spent less what came back."""
    return counts.spent_micro_usd - counts.refunded_micro_usd


def _named(day: DayCounts, by: Grouping) -> ByName:
    return day.by_key if by is Grouping.KEY else day.by_model


def _series(sums: list[tuple[str, Counts]]) -> list[tuple[str, int]]:
    """Return the names that have a colour, with their sums; the rest is the last one."""
    shown = [(name, net(counts)) for name, counts in sums[:MAX_SERIES]]
    rest = sums[MAX_SERIES:]
    return [*shown, (OTHER, sum(net(counts) for _, counts in rest))] if rest else shown


def _amounts(counts: ByName, shown: set[str]) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for name, each in counts.items():
        series = name if name in shown else OTHER
        amounts[series] = amounts.get(series, 0) + net(each)
    return amounts
