"""Which routes can run an input: their provider takes its values and has words for all of them. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.models import Model, Route
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.registry import mapper_of


def routes_for(model: Model, values: Mapping[str, Any]) -> list[Route]:
    """Return the routes that can run an input, best first.

    Asked before the charge, so that no input is taken that every provider would have to refuse; and when a
    task needs its next provider.
    """
    return [route for route in model.routes_for(values) if can_carry(route, values)]


def can_carry(route: Route, values: Mapping[str, Any]) -> bool:
    """Return whether the route's provider has words for all values; only its mapper's own refusal says no."""
    mapper = mapper_of(route.provider, route.mapping)
    if mapper is None:
        return False
    try:
        mapper(Job("", route.mapping, route.upstream, values))
    except CannotMapError:
        return False
    return True
