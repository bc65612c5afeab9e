"""The time zone of a request: times on its pages are in this zone. UTC without a choice."""

from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

import tzdata

# Zones with an area; the others are old names, or fixed distances with a reversed sign.
_AREAS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)

_current: ContextVar[tzinfo] = ContextVar("zone", default=UTC)


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones that a person can choose, of IANA's database (tzdata)."""
    found = (files(tzdata) / "zones").read_text().split()
    return tuple(sorted(name for name in found if name.partition("/")[0] in _AREAS))


def use_zone(name: str) -> None:
    """Use a zone for the rest of this request; UTC for an empty or unknown name."""
    _current.set(ZoneInfo(name) if name in zones() else UTC)


def here(text: str) -> datetime:
    """Return an ISO 8601 time in the zone of this request. A date without a time stays that date."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(_current.get())


def zone_word(now: datetime | None = None) -> str:
    """Return the short name of the zone, such as UTC or CET, for the head of a column."""
    return (now or datetime.now(UTC)).astimezone(_current.get()).strftime("%Z")
