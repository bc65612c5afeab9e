"""The input of a model without a table: the input of another model of its family.

A provider's models with one mapping in the catalog have the same body. So each table here has one body, and
the catalog defines the families. If their bodies differ, a new version has the body of the most similar id.
`make provider-truth` checks that the vendor has an id.
"""

from collections.abc import Mapping
from functools import cache
from os.path import commonprefix

from local.simulator.providers.inputs import ModelInput
from tollgate.catalog.loader import Catalog


def input_of(provider: str, name: str, models: Mapping[str, type[ModelInput]]) -> type[ModelInput] | None:
    """Return the input of the provider's model `name`, from `models` or its family; `None` if unknown."""
    found = models.get(name)
    if found is not None:
        return found
    return next((models[one] for one in relatives(provider, name) if one in models), None)


def relatives(provider: str, name: str) -> list[str]:
    """Return the ids of models with the mapping and the kind of input of `name`, the most similar first.

    A mapping may append to the catalog's id, such as the task. Then the ids have the same appendix.
    """
    found = [
        other + name.removeprefix(upstream)
        for family, upstream in upstreams(provider)
        if name.startswith(upstream)
        for of, other in upstreams(provider)
        if of == family
    ]
    return sorted(found, key=lambda other: _common(name, other), reverse=True)


def _common(name: str, other: str) -> int:
    return len(commonprefix((name, other)))  # noqa: RUF071 - ids are not paths


@cache
def upstreams(provider: str) -> list[tuple[tuple[str, str], str]]:
    """Return the catalog's ids of a provider's models, each with its mapping and its kind of input."""
    routes = [route for model in Catalog.shipped().media_models() for route in model.routes]
    return [
        ((route.mapping, kind), upstream)
        for route in routes
        if route.provider == provider
        for kind, upstream in route.upstream.items()
    ]
