"""The usage of an account for its customer: totals by day and by model."""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.clock import Clock
from tollgate.usage.counts import DayCounts, StatisticsView, by_descending_cost, total
from tollgate.usage.period import Period, read_period
from tollgate.usage.repository import UsageRepository


@dataclass(frozen=True, slots=True)
class StatisticsService:
    """Reads the daily roll-up, which is seconds behind the ledger."""

    usage: UsageRepository
    clock: Clock

    def of(self, account_id: str, query: Mapping[str, str]) -> StatisticsView:
        """Return `{range, from, to, total, byDay, byModel, byKey}` for the days in `query`.

        Source: site/statistics.md#statistics.

        Raises `InvalidInputError`.
        """
        return statistics(*self.days(account_id, query))

    def days(self, account_id: str, query: Mapping[str, str]) -> tuple[Period, dict[str, DayCounts]]:
        """Return the days in `query`, and the counts of the days that have any.

        Raises `InvalidInputError`.
        """
        period = read_period(query, self.clock.now_ms())
        found = self.usage.days(account_id, period.first.isoformat(), period.last.isoformat())
        return period, dict(found)


def statistics(period: Period, days: Mapping[str, DayCounts]) -> StatisticsView:
    """Return the sums of the period's days. `byDay` has every day; the others are sorted by cost. Pure."""
    none = DayCounts({}, {})
    by_day = {day: total(days.get(day, none).by_model.values()) for day in period.days()}
    return {
        "range": period.name,
        "from": period.first.isoformat(),
        "to": period.last.isoformat(),
        "total": total(by_day.values()).view(),
        "byDay": [{"date": day, **counts.view()} for day, counts in by_day.items()],
        "byModel": [
            {"model": model, **counts.view()}
            for model, counts in by_descending_cost(day.by_model for day in days.values())
        ],
        "byKey": [
            {"keyId": key_id, **counts.view()}
            for key_id, counts in by_descending_cost(day.by_key for day in days.values())
        ],
    }
