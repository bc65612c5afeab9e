"""A model with only its live routes, and only with input that at least one route accepts.

So a customer is never charged for a value that no provider could carry, and the published input shows it.
"""

from dataclasses import replace
from typing import Any

from tollgate.catalog.models import Model, Route

Taken = dict[str, list[Any]]


def with_routes(model: Model, routes: list[Route]) -> Model:
    """Return `model` with these of its routes, narrowed to the input that they accept between them."""
    taken, most = _taken(routes), _most_items(routes)
    if not taken and not most:
        return replace(model, routes=routes)
    # This needs pydantic, because it looks into the input. Most models are not narrowed.
    from tollgate.catalog.narrowed import narrowed  # noqa: PLC0415 - see above

    return replace(narrowed(model, taken, most), routes=routes)


def _taken(routes: list[Route]) -> Taken:
    """Return, for each field that every route limits, the values that any of them takes."""
    if not routes:
        return {}
    # A route without a limit on a field accepts all of its values, so a field is narrowed only if every route
    # limits it.
    limited = set.intersection(*(set(route.takes) for route in routes))
    return {
        name: list(dict.fromkeys(value for route in routes for value in route.takes[name]))
        for name in limited
    }


def _most_items(routes: list[Route]) -> dict[str, int]:
    """Return, for each array that every route bounds, the most items that any of them takes."""
    if not routes:
        return {}
    # Likewise, a route without a bound accepts as many as the model does. The largest bound counts, because
    # an input that is too large for one route is sent to another.
    bounded = set.intersection(*(set(route.max_items) for route in routes))
    return {name: max(route.max_items[name] for route in routes) for name in bounded}
