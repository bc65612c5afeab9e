"""Measured speeds of routes: they order the routes of a request for a fast route. Pure.

Each process measures the calls that it bills, so a measure costs no write and no read. A new process knows
none, and keeps the catalog's order.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from types import MappingProxyType

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S

WINDOW_MS = 30 * 60 * MS_PER_S
# The newest calls of a route count.
MAX_CALLS = 100
MAX_ROUTES = 1_000
# The speed of a shorter answer is only noise.
MIN_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Speed:
    """Medians of a route: milliseconds to the first bytes, and output tokens per second; `None`: unknown."""

    latency_ms: float | None = None
    tokens_per_s: float | None = None


UNMEASURED = Speed()
# By the id of a model and the name of a provider.
Route = tuple[str, str]
Speeds = Mapping[Route, Speed]
NO_SPEEDS: Speeds = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Call:
    at_ms: int
    speed: Speed


@dataclass(frozen=True, slots=True)
class RecentSpeeds:
    """The speeds of the calls that this process billed in the last half hour."""

    _calls: BoundedCache[deque[_Call]] = field(default_factory=lambda: BoundedCache(MAX_ROUTES))

    def note(self, route: Route, now_ms: int, first_ms: int, total_ms: int, tokens: int) -> None:
        """Note a call: its milliseconds to the first bytes and in total, and its output tokens."""
        name = _name(route)
        calls = self._calls.get(name)
        if calls is None:
            calls = self._calls[name] = deque(maxlen=MAX_CALLS)
        # A complete answer has no time of its first token, so all of its time counts.
        writing_ms = total_ms if first_ms >= total_ms else total_ms - first_ms
        measured = tokens >= MIN_TOKENS and writing_ms > 0
        calls.append(_Call(now_ms, Speed(first_ms, tokens * MS_PER_S / writing_ms if measured else None)))

    def of(self, routes: list[Route], now_ms: int) -> Speeds:
        """Return the medians of these routes, as far as they are known."""
        found = {}
        for route in routes:
            calls = [
                one.speed for one in self._calls.get(_name(route)) or () if one.at_ms > now_ms - WINDOW_MS
            ]
            if calls:
                rates = [one.tokens_per_s for one in calls if one.tokens_per_s is not None]
                latencies = [one.latency_ms for one in calls if one.latency_ms is not None]
                found[route] = Speed(median(latencies), median(rates) if rates else None)
        return found


def _name(route: Route) -> str:
    return "/".join(route)
