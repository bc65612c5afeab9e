"""How each provider did in the last 24 hours: success, times and volume. Pure.

Text is counted completely (`routing/measures.py`). Generations are a sample: the newest tasks of the
accounts with the most generations today.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tollgate.routing.measures import DOWN, LATENCY, UP, Counts, percentile, uptime_percent
from tollgate.tasks.models import Task, TaskStatus

DAY_MS = 24 * 3_600 * 1_000
MEDIAN, SLOWEST = 50, 95


@dataclass(frozen=True, slots=True)
class ProviderMeasure:
    """The calls of one provider. `percent` is the share that succeeded, the times are in milliseconds.

    For text the times end with the first byte, for generations with the result. `None`: unknown.
    """

    provider: str
    calls: int
    percent: float | None
    p50_ms: float | None
    p95_ms: float | None


def of_text(counts: Mapping[str, Counts]) -> list[ProviderMeasure]:
    """Return the measures of providers from the counts of their text calls, by name."""
    return [
        ProviderMeasure(
            name,
            found.get(UP, 0) + found.get(DOWN, 0),
            uptime_percent(found),
            percentile(found, LATENCY, MEDIAN),
            percentile(found, LATENCY, SLOWEST),
        )
        for name, found in sorted(counts.items())
    ]


def of_media(tasks: Iterable[Task], now_ms: int) -> dict[str, ProviderMeasure]:
    """Return the measures of providers from the attempts of some tasks, by name.

    Attempts without an end do not count, and neither do attempts that a cancellation ended.
    """
    times: dict[str, list[int]] = {}
    counts: dict[str, Counter[str]] = {}
    for task in tasks:
        for attempt in task.attempts:
            if attempt.ended_at_ms is None or attempt.started_at_ms < now_ms - DAY_MS:
                continue
            if attempt.failure is not None:
                counts.setdefault(attempt.provider, Counter())[DOWN] += 1
            elif task.status is TaskStatus.FINISHED:
                counts.setdefault(attempt.provider, Counter())[UP] += 1
                times.setdefault(attempt.provider, []).append(attempt.ended_at_ms - attempt.started_at_ms)
    return {
        name: ProviderMeasure(
            name,
            found.total(),
            uptime_percent(found),
            _at(times.get(name, []), MEDIAN),
            _at(times.get(name, []), SLOWEST),
        )
        for name, found in counts.items()
    }


def _at(values: list[int], share: int) -> float | None:
    """Return the smallest of the values that at least `share` percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[-(-len(ordered) * share // 100) - 1] if ordered else None
