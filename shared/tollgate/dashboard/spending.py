"""What the overview shows of an account's statistics: what was spent, less what came back. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RANGE = "30d"
MAX_MODELS = 8


@dataclass(frozen=True, slots=True)
class Spending:
    """Charges less refunds, in micro-USD. `by_day` has every day (UTC), `by_model` the dearest first."""

    total_micro_usd: int
    tasks: int
    requests: int
    by_day: list[tuple[str, int]]
    by_model: list[tuple[str, int]]


def spending(statistics: Mapping[str, Any]) -> Spending:
    """Return what to show of `StatisticsService.of`; models without a cost that is left are not in it."""
    by_model = [(row["model"], _net(row)) for row in statistics["byModel"]]
    dearest_first = sorted(by_model, key=lambda row: -row[1])
    return Spending(
        total_micro_usd=_net(statistics["total"]),
        tasks=statistics["total"]["tasks"],
        requests=statistics["total"]["requests"],
        by_day=[(row["date"], _net(row)) for row in statistics["byDay"]],
        by_model=[(model, amount) for model, amount in dearest_first if amount > 0][:MAX_MODELS],
    )


def _net(counts: Mapping[str, int]) -> int:
    return counts["spentMicroUsd"] - counts["refundedMicroUsd"]
