"""What a model takes that has no table of its own: the same as another of its family.

A provider's models that our catalog calls by one mapping take one body. So the tables here say each body
once, and which ids a family has is the catalog's data. Whether the vendor knows an id is for
`make provider-truth` to say.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from local.simulator.providers.inputs import ModelInput
from tollgate.catalog.loader import Catalog


def input_of(provider: str, name: str, models: Mapping[str, type[ModelInput]]) -> type[ModelInput] | None:
    """Return what the provider's model `name` takes, by `models` or by its family; `None` for no model."""
    found = models.get(name)
    if found is not None:
        return found
    return next((models[one] for one in relatives(provider, name) if one in models), None)


def relatives(provider: str, name: str) -> Iterator[str]:
    """Yield the ids of the models that take what `name` takes: of its mapping, for the same kind of input."""
    for (mapping, kind), upstream in upstreams(provider):
        if name.startswith(upstream):
            for of, other in upstreams(provider):
                if of == (mapping, kind):
                    # A mapping may add to the id: the task, for one.
                    yield other + name.removeprefix(upstream)


@cache
def upstreams(provider: str) -> list[tuple[tuple[str, str], str]]:
    """Return the ids that the catalog has of a provider, each with its mapping and its kind of input."""
    routes = [route for model in Catalog.shipped().models() for route in model.routes]
    return [
        ((route.mapping, kind), upstream)
        for route in routes
        if route.provider == provider
        for kind, upstream in route.upstream.items()
    ]
