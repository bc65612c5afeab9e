"""Measures of routes from the service's own requests: uptime, latency and throughput. Pure.

Each call of a provider is counted in two rows of its model: one of the minute and one of the hour. A row has
only counts, by provider, so rows are merged by addition, in any order.

Source of the measures: `PublicEndpoint` and `PercentileStats` of the package openrouter 1.3.84 (PyPI). There,
uptime is a share of minutes with enough traffic. Here it is the share of calls.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Between, Condition, Equals
from tollgate.routing.speeds import Speed

MS_PER_MINUTE, MS_PER_HOUR = 60 * MS_PER_S, 3_600 * MS_PER_S
# The rows that are read: of the current minute and of 30 before it, and the same with 24 hours.
MINUTES, SHORT_MINUTES, HOURS = 30, 5, 24
# The beginnings of the names. Later names are greater, because all have the same length until 2160.
_MINUTE, _HOUR = "m", "h"
UP, DOWN = "up", "down"
LATENCY, THROUGHPUT = "l", "t"
# The bounds of neighbouring steps differ by a tenth, so a percentile is at most a tenth too high.
STEP = 1.1
# Of any measure: a call takes at most 15 minutes, and no provider writes a million tokens in a second.
MAX_VALUE = 1_000_000
# How long the measures of a model are used after a read, and of how many models.
KNOWN_MS, MAX_MODELS = MS_PER_MINUTE, 300
PERCENTILES = (50, 75, 90, 99)
# The rate of a shorter answer is only noise.
MIN_TOKENS = 16

Counts = Mapping[str, int]
"""Calls by their outcome (`up`, `down`), and by the steps of their latency and throughput (`l37`, `t12`)."""
Row = tuple[str, str]
"""A model, and the name of its minute or hour: `m29921000`, `h498683`."""
Percentiles = dict[str, float]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a provider. Without an answer, `latency_ms` is `None`; `tokens` took `writing_ms`."""

    model: str
    provider: str
    at_ms: int
    is_up: bool
    latency_ms: int | None = None
    tokens: int = 0
    writing_ms: int = 0

    def counts(self) -> Iterator[str]:
        """Return the counts of its provider to which this call adds 1."""
        yield UP if self.is_up else DOWN
        if self.latency_ms is not None:
            yield f"{LATENCY}{step_of(self.latency_ms)}"
        if self.tokens >= MIN_TOKENS and self.writing_ms > 0:
            yield f"{THROUGHPUT}{step_of(self.tokens * MS_PER_S / self.writing_ms)}"


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one route. Uptimes are in percent, latencies in milliseconds, throughput in tokens per
    second; `None`: unknown.
    """

    uptime_5m: float | None = None
    uptime_30m: float | None = None
    uptime_1d: float | None = None
    latency: Percentiles | None = None
    throughput: Percentiles | None = None

    @property
    def speed(self) -> Speed:
        """Return the medians."""
        latency, throughput = self.latency or {}, self.throughput or {}
        return Speed(latency.get("p50"), throughput.get("p50"))


UNMEASURED = Measures()


def counted(calls: Iterable[Call]) -> dict[Row, Counter[str]]:
    """Return the counts of some calls by row; a name is the provider and the count: `openai up`."""
    found: dict[Row, Counter[str]] = {}
    for call in calls:
        for row in ((call.model, minute_of(call.at_ms)), (call.model, _hour(call.at_ms))):
            found.setdefault(row, Counter()).update(f"{call.provider} {name}" for name in call.counts())
    return found


def key_of(model_id: str, name: str) -> dict[str, str]:
    """Return the key of a model's row of a minute or an hour."""
    return {"account_id": f"route#{model_id}", "usage_day": name}


def queries_of(model_id: str, now_ms: int) -> list[Condition]:
    """Return the two queries of the rows with a model's measures of now: of minutes, and of hours."""
    partition = Equals("account_id", key_of(model_id, "")["account_id"])
    ago_ms, day_ms = now_ms - MINUTES * MS_PER_MINUTE, now_ms - HOURS * MS_PER_HOUR
    ranges = (minute_of(ago_ms), minute_of(now_ms)), (_hour(day_ms), _hour(now_ms))
    return [partition & Between("usage_day", first, last) for first, last in ranges]


def hours_of(model_id: str, now_ms: int) -> Condition:
    """Return the query of the rows with a model's counts of the last 24 hours."""
    return queries_of(model_id, now_ms)[1]


def measures_of(rows: Iterable[Mapping[str, Any]], now_ms: int) -> dict[str, Measures]:
    """Return the measures of each provider in the rows of `queries_of`."""
    named = {row["usage_day"]: row for row in rows}
    hours = [row for name, row in named.items() if name.startswith(_HOUR)]
    minutes = {name: row for name, row in named.items() if name.startswith(_MINUTE)}
    first = minute_of(now_ms - SHORT_MINUTES * MS_PER_MINUTE)
    short = by_provider(row for name, row in minutes.items() if name >= first)
    medium, long = by_provider(minutes.values()), by_provider(hours)
    return {
        provider: Measures(
            uptime_percent(short.get(provider, {})),
            uptime_percent(medium.get(provider, {})),
            uptime_percent(long.get(provider, {})),
            percentiles(medium.get(provider, {}), LATENCY),
            percentiles(medium.get(provider, {}), THROUGHPUT),
        )
        for provider in medium.keys() | long.keys()
    }


def uptime_percent(counts: Counts) -> float | None:
    """Return the share of calls that were answered; `None` without calls."""
    up, down = counts.get(UP, 0), counts.get(DOWN, 0)
    return round(100 * up / (up + down), 2) if up + down else None


def percentiles(counts: Counts, measure: str) -> Percentiles | None:
    """Return the percentiles of `LATENCY` or `THROUGHPUT`, each the highest value of its step.

    Returns `None` if none was counted.
    """
    found = {f"p{share}": percentile(counts, measure, share) for share in PERCENTILES}
    known = {name: value for name, value in found.items() if value is not None}
    return known or None


def percentile(counts: Counts, measure: str, share: int) -> float | None:
    """Return one percentile, the highest value of its step; `None` if none was counted."""
    steps = sorted((int(name[1:]), count) for name, count in counts.items() if name[0] == measure)
    total = sum(count for _, count in steps)
    return bound_of(_step_at(steps, ceil(total * share / 100))) if total else None


def step_of(value: float) -> int:
    """Return the number of the step that contains a value; 0 for 1 and less."""
    return ceil(round(log(min(max(value, 1), MAX_VALUE), STEP), 9))


def bound_of(step: int) -> float:
    """Return the highest value of a step."""
    return round(STEP**step, 2)


def by_provider(rows: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Return the sums of the counts in rows, by provider."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for name, count in row.items():
            provider, _, what = name.partition(" ")
            # The attributes of the row itself have no space.
            if what:
                found.setdefault(provider, Counter())[what] += int(count)
    return found


def _step_at(steps: Sequence[tuple[int, int]], place: int) -> int:
    """Return the step of the call at a place in the order of the values, counted from 1."""
    seen = 0
    for step, count in steps:
        seen += count
        if seen >= place:
            return step
    return steps[-1][0]


def minute_of(at_ms: int) -> str:
    """Return the name of the row of a minute."""
    return f"{_MINUTE}{at_ms // MS_PER_MINUTE}"


def _hour(at_ms: int) -> str:
    return f"{_HOUR}{at_ms // MS_PER_HOUR}"
