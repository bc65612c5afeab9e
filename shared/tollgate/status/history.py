"""Days of checks: how often each part, model and provider was found in each state. Pure.

A check is one look, every five minutes (visits: every quarter of an hour). Days are UTC days.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from tollgate.kit.clock import MS_PER_DAY, utc_day

DAYS = 90


class State(StrEnum):
    """A state, the best first."""

    UP = "up"
    DEGRADED = "degraded"
    DOWN = "down"


ORDER = tuple(State)
States = Mapping[str, State]
"""Subjects by name: `media`, `model/z-image`, `provider/fal`. An unknown state is missing."""
Counts = tuple[int, int, int]
"""The number of checks in each state of `ORDER`."""
Day = Mapping[str, Counts]
NONE: Counts = (0, 0, 0)


class Bar(NamedTuple):
    """One day of a subject. `state` is `None` for a day without checks."""

    day: str
    counts: Counts

    @property
    def state(self) -> State | None:
        """Return the worst state that a check of the day found."""
        up, degraded, down = self.counts
        return State.DOWN if down else State.DEGRADED if degraded else State.UP if up else None


def worst(states: Iterable[State]) -> State:
    """Return the worst of some states; `UP` if there are none."""
    return max(states, key=ORDER.index, default=State.UP)


def counted(day: Day, states: States) -> dict[str, Counts]:
    """Return a day with one more check of some subjects."""
    found = dict(day)
    for name, state in states.items():
        up, degraded, down = found.get(name, NONE)
        found[name] = (
            up + (state is State.UP),
            degraded + (state is State.DEGRADED),
            down + (state is State.DOWN),
        )
    return found


def last_days(now_ms: int) -> list[str]:
    """Return the days of the page, today last."""
    return list(_days_until(now_ms // MS_PER_DAY))


# The page asks for each of its subjects.
@lru_cache(maxsize=2)
def _days_until(today: int) -> tuple[str, ...]:
    return tuple(utc_day((today - ago) * MS_PER_DAY) for ago in range(DAYS - 1, -1, -1))


def bars_of(name: str, days: Mapping[str, Day], now_ms: int) -> list[Bar]:
    """Return a subject's bar for each day, today last."""
    return [Bar(day, days.get(day, {}).get(name, NONE)) for day in last_days(now_ms)]


def uptime_percent(bars: Iterable[Bar]) -> float | None:
    """Return the share of checks that did not find the subject down; `None` without checks.

    It is rounded down to hundredths, so that only a subject that was never down has 100 %.
    """
    counts = [bar.counts for bar in bars]
    total, down = sum(map(sum, counts)), sum(each[-1] for each in counts)
    return (total - down) * 10_000 // total / 100 if total else None


def runs_of(bars: Iterable[Bar]) -> dict[str, str]:
    """Return the path of the bars in each state, or `none`: equal days beside each other are one line.

    A day is one unit wide. A line with dashes of one unit then draws one bar for each day.
    """
    paths: dict[str, str] = {}
    start = 0
    for state, run in groupby(bar.state or "none" for bar in bars):
        days = sum(1 for _ in run)
        paths[state] = f"{paths.get(state, '')}M{start} 4h{days}"
        start += days
    return paths
