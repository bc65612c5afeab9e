"""Changes of the catalog's data that need an operator: now, or in the next two weeks. Pure.

`functions/sweep` counts them once a day (docs/runbook.md#catalogduealarm), and `tollgate catalog lint` prints
them.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from tollgate.catalog import dated
from tollgate.catalog.loader import Document, Raw
from tollgate.catalog.validation import faults_of

SOON_DAYS = 14


def due(models: Mapping[str, Raw], day: str) -> list[str]:
    """Return what needs an operator, each as `<model id>: <reason>`. `models` is a catalog document.

    These are costs above a price on the day or on a later day with a known change, prices and costs that end
    soon, routes that retire soon or that retired and are enabled, and models that end soon.
    """
    soon = (date.fromisoformat(day) + timedelta(days=SOON_DAYS)).isoformat()
    found = faults_of(Document(models), day)
    for model_id, raw in models.items():
        found += [f"{model_id}: {reason}" for reason in dict.fromkeys(_reasons(raw, day, soon))]
    return found


def retired(raw: Raw, day: str) -> Iterator[str]:
    """Yield a reason for each route of a model that retired by the day and is enabled."""
    for route in raw["routes"]:
        if route.get("enabled", True) and route.get("retires", day + "+") <= day:
            yield f"routes: {route['provider']} retired on {route['retires']}, but is enabled"


def _reasons(raw: Raw, day: str, soon: str) -> Iterator[str]:
    yield from retired(raw, day)
    for place in ("prices", "longContext", "pricing"):
        for row in dated.objects(raw.get(place)):
            if day <= row.get(dated.UNTIL, "") < soon:
                yield f"{place}: a price ends on {row[dated.UNTIL]}"
    for route in raw["routes"]:
        if not route.get("enabled", True):
            continue
        if day < route.get("retires", "") <= soon:
            yield f"routes: {route['provider']} retires on {route['retires']}"
        for row in dated.objects(route):
            if day <= row.get(dated.UNTIL, "") < soon:
                yield f"routes: {route['provider']}: a cost ends on {row[dated.UNTIL]}"
    ends = raw.get("shutsDown")
    if ends is not None and day < ends["day"] <= soon:
        yield f"shutsDown: ends on {ends['day']}"
