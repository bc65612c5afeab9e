"""Data with days: prices and costs that change on a day, routes and models that end on one. Pure.

A row with `from` or `until` counts only on those days, both included. A route is not used from the day it
`retires`, a model is not sold from the day it `shutsDown`. All days are in UTC (docs/catalog.md#days).
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from tollgate.catalog.errors import CatalogError

Raw = Mapping[str, Any]

# Sorts before every day, so it stands for the data before any of its changes.
FIRST = ""
FROM, UNTIL = DAYS = ("from", "until")
_PLACES = ("prices", "longContext", "pricing", "routes")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def changes(raw: Raw) -> list[str]:
    """Return the days on which the data of a model changes, in order; raises `CatalogError`."""
    found = set()
    for row in rows(raw):
        found |= {row[name] for name in (FROM, "retires") if _is_day(row, name)}
        if _is_day(row, UNTIL):
            found.add(_day_after(row[UNTIL]))
    if (ends := _end_of(raw)) is not None:
        found.add(ends)
    return sorted(found)


def on(raw: Raw, day: str) -> dict[str, Any]:
    """Return the data of a model on a day: without days, and only with the rows of that day.

    Raises `CatalogError` if a text model's price or cost has no row on that day, or more than one.
    """
    found = {name: _on(value, day) if name in _PLACES else value for name, value in raw.items()}
    if isinstance(found.get("prices"), list):
        found["prices"] = _only(found["prices"], "prices", day)
    routes = found.get("routes")
    if isinstance(routes, list):
        ends = _end_of(raw)
        found["routes"] = [
            _route_on(route, day, is_over=ends is not None and ends <= day) for route in routes
        ]
    return found


def rows(raw: Raw) -> Iterator[Raw]:
    """Return every object in a model's prices and routes, at any depth."""
    for place in _PLACES:
        yield from objects(raw.get(place))


def objects(value: Any) -> Iterator[Raw]:
    """Return a value, if it is an object, and every object in it, at any depth."""
    # Without recursion, which takes most of the time of a catalog's check.
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left += reversed(one.values())
        elif isinstance(one, list):
            left += reversed(one)


def is_over(row: Raw, day: str) -> bool:
    """Return whether a row counts neither on the day nor later."""
    return UNTIL in row and row[UNTIL] < day


def _route_on(route: Any, day: str, *, is_over: bool) -> Any:
    if not isinstance(route, dict):
        return route
    if isinstance(route.get("cost"), list):
        route["cost"] = _only(route["cost"], f"routes: {route.get('provider')}: cost", day)
    if is_over or route.get("retires", day + "+") <= day:
        route["enabled"] = False
        route.setdefault("why", "It has retired.")
    return route


def _on(value: Any, day: str) -> Any:
    if isinstance(value, list):
        return [_on(item, day) for item in value if not isinstance(item, dict) or _counts(item, day)]
    if isinstance(value, dict):
        return {name: _on(item, day) for name, item in value.items() if name not in (FROM, UNTIL)}
    return value


def _counts(row: Raw, day: str) -> bool:
    return row.get(FROM, FIRST) <= day and (UNTIL not in row or day <= row[UNTIL])


def _only(found: list[Any], where: str, day: str) -> Any:
    if len(found) != 1:
        when = day or "the first day"
        raise CatalogError(f"{where}: has {len(found)} rows on {when}, must have one")
    return found[0]


def _end_of(raw: Raw) -> str | None:
    ends = raw.get("shutsDown")
    return ends["day"] if isinstance(ends, dict) and _is_day(ends, "day") else None


def _is_day(row: Raw, name: str) -> bool:
    """Return whether the row has this day; raises `CatalogError` if it is none."""
    if name not in row:
        return False
    day = row[name]
    # Also a day that does not exist, such as 2027-02-30.
    with suppress(ValueError):
        if isinstance(day, str) and _DAY.fullmatch(day) and date.fromisoformat(day):
            return True
    raise CatalogError(f'{name}: must be a day in quotes, e.g. "2027-01-01"')


def _day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
