"""Time, passed in as a value: epoch milliseconds inside, ISO 8601 UTC outside."""

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

MS_PER_S = 1_000
MS_PER_DAY = 86_400 * MS_PER_S


class Clock(Protocol):
    """A source of the current time. Tests pass one and move it by hand."""

    def now_ms(self) -> int:
        """Return the time now, in epoch milliseconds."""


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        """Return the time now, in epoch milliseconds."""
        return time.time_ns() // 1_000_000


def iso(epoch_ms: int) -> str:
    """Return epoch milliseconds as ISO 8601 in UTC, e.g. `2026-11-20T09:30:00.123Z`."""
    stamp = datetime.fromtimestamp(epoch_ms / MS_PER_S, tz=UTC)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_day(epoch_ms: int) -> str:
    """Return the day in UTC that epoch milliseconds are in, e.g. `2026-11-20`."""
    return _day(epoch_ms // MS_PER_DAY)


# Every text request needs today.
@lru_cache(maxsize=16)
def _day(days: int) -> str:
    return iso(days * MS_PER_DAY)[: len("2026-11-20")]


def utc_month(epoch_ms: int) -> str:
    """Return the month in UTC that epoch milliseconds are in, e.g. `2026-11`."""
    return iso(epoch_ms)[: len("2026-11")]


def to_the_minute(epoch_ms: int) -> str:
    """Return epoch milliseconds as people read them, e.g. `2026-11-20 09:30 UTC`."""
    return f"{datetime.fromtimestamp(epoch_ms / MS_PER_S, tz=UTC):%Y-%m-%d %H:%M} UTC"
