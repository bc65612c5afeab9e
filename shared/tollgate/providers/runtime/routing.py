"""Which routes can run an input: their provider takes its values and has words for all of them. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.models import Model, Route
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.registry import mapper_of


def routes_for(model: Model, values: Mapping[str, Any]) -> list[Route]:
    """Return the routes that can run an input, best first.

    Asked before the charge, so that no input is taken that every provider would have to refuse.
    """
    return [route for route in model.routes_for(values) if _has_words(route, values)]


def _has_words(route: Route, values: Mapping[str, Any]) -> bool:
    mapper = mapper_of(route.provider, route.mapping)
    if mapper is None:
        return False
    try:
        mapper(Job("", route.mapping, route.upstream, values))
    except (CannotMapError, KeyError):
        return False
    return True
