"""What customers ask about their usage: totals by day and by model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import Clock
from tollgate.usage.counts import ByModel, by_model, total
from tollgate.usage.period import Period, read_period
from tollgate.usage.repository import UsageRepository


@dataclass(frozen=True, slots=True)
class StatisticsService:
    """Reads the daily roll-up, which is seconds behind the ledger."""

    usage: UsageRepository
    clock: Clock

    def of(self, account_id: str, query: Mapping[str, str]) -> dict[str, Any]:
        """Return `{range, from, to, total, byDay, byModel}` for the days of `query`.

        Source: docs/contract.md#account.

        Raises `InvalidInputError`.
        """
        period = read_period(query, self.clock.now_ms())
        days = self.usage.days(account_id, period.first.isoformat(), period.last.isoformat())
        return statistics(period, dict(days))


def statistics(period: Period, days: Mapping[str, ByModel]) -> dict[str, Any]:
    """Add up the counts of the period's days. `byDay` has every day, `byModel` the dearest first. Pure."""
    by_day = {day: total(days.get(day, {}).values()) for day in period.days()}
    models = by_model(pair for counts in days.values() for pair in counts.items())
    dearest_first = sorted(models.items(), key=lambda pair: (-pair[1].spent_micro_usd, pair[0]))
    return {
        "range": period.name,
        "from": period.first.isoformat(),
        "to": period.last.isoformat(),
        "total": total(by_day.values()).view(),
        "byDay": [{"date": day, **counts.view()} for day, counts in by_day.items()],
        "byModel": [{"model": model, **counts.view()} for model, counts in dearest_first],
    }
