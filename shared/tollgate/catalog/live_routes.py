"""A model with only its live routes, and only with input that at least one route accepts.

So a customer is never charged for a value that no provider could carry, and the published input shows it.
"""

from dataclasses import replace
from typing import Any

from tollgate.catalog.models import Model, Route

AcceptedValues = dict[str, list[Any]]


def with_routes(model: Model, routes: list[Route]) -> Model:
    """Return `model` with only these `routes`, and with the input that these routes accept."""
    accepted, max_items = _accepted_values(routes), _max_items(routes)
    if not accepted and not max_items:
        return replace(model, routes=routes)
    # This needs pydantic, because it reads the input class. Most models need no restriction.
    from tollgate.catalog.route_limits import with_route_limits  # noqa: PLC0415 - see above

    return replace(with_route_limits(model, accepted, max_items), routes=routes)


def _accepted_values(routes: list[Route]) -> AcceptedValues:
    """Return, for each field that every route limits, the values that at least one route accepts."""
    if not routes:
        return {}
    # A route without a limit on a field accepts all of its values, so a field is restricted only if every
    # route limits it.
    limited = set.intersection(*(set(route.takes) for route in routes))
    return {
        name: list(dict.fromkeys(value for route in routes for value in route.takes[name]))
        for name in limited
    }


def _max_items(routes: list[Route]) -> dict[str, int]:
    """Return, for each array that every route limits, the largest limit."""
    if not routes:
        return {}
    # Likewise, a route without a bound accepts as many as the model does. The largest bound counts, because
    # an input that is too large for one route is sent to another.
    bounded = set.intersection(*(set(route.max_items) for route in routes))
    return {name: max(route.max_items[name] for route in routes) for name in bounded}
