"""The routes that can run an input: their provider supports all its values. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.models import Model, Route
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.registry import mapper_of


def routes_for(model: Model, values: Mapping[str, Any]) -> list[Route]:
    """Return the routes that can run an input, best first.

    This is called before the charge, so that an input that no provider supports is refused; and for a task
    that needs its next provider.
    """
    return [route for route in model.routes_for(values) if can_carry(route, values)]


def can_carry(route: Route, values: Mapping[str, Any]) -> bool:
    """Return whether the route's provider supports all values: its mapper raises no `CannotMapError`."""
    mapper = mapper_of(route.provider, route.mapping)
    if mapper is None:
        return False
    try:
        mapper(Job("", route.mapping, route.upstream, values))
    except CannotMapError:
        return False
    return True
