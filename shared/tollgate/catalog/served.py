"""A model as it can be run now: only its live routes, and of its input only what one of them takes.

So a customer is never charged for a value that no provider could carry, and the published input says so.
"""

from dataclasses import replace
from typing import Any

from tollgate.catalog.models import Model, Route

Taken = dict[str, list[Any]]


def with_routes(model: Model, routes: list[Route]) -> Model:
    """Return `model` with these of its routes, narrowed to what they take between them."""
    taken, most = _taken(routes), _most_items(routes)
    if not taken and not most:
        return replace(model, routes=routes)
    # With pydantic, as it looks into the input; most models are not narrowed.
    from tollgate.catalog.narrowed import narrowed  # noqa: PLC0415 - see above

    return replace(narrowed(model, taken, most), routes=routes)


def _taken(routes: list[Route]) -> Taken:
    """Return, for each field that every route limits, the values that any of them takes."""
    if not routes:
        return {}
    # One route without a limit on a field takes all of its values, so only what every route limits is
    # narrowed.
    limited = set.intersection(*(set(route.takes) for route in routes))
    return {
        name: list(dict.fromkeys(value for route in routes for value in route.takes[name]))
        for name in limited
    }


def _most_items(routes: list[Route]) -> dict[str, int]:
    """Return, for each array that every route bounds, the most items that any of them takes."""
    if not routes:
        return {}
    # As above: one route without a bound takes as many as the model does. Of bounds the largest counts, as an
    # input that is too much for one route goes to another.
    bounded = set.intersection(*(set(route.max_items) for route in routes))
    return {name: max(route.max_items[name] for route in routes) for name in bounded}
