"""What our adapters send on every route of a provider: inputs are drawn from the catalog's schemas."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import valid_inputs
from tests.unit.providers.mapping_support import shortest
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.registry import providers
from tollgate.tasks.followups import FIELDS

DRAWN = 25
"""Inputs of each model, besides its shortest; always the same ones."""


@dataclass(frozen=True)
class Case:
    """One job of a route, and what its mapping says of it."""

    model: str
    job: Job
    upstream: str
    body: Mapping[str, Any]


@cache
def cases(provider: str, drawn: int = DRAWN) -> tuple[Case, ...]:
    """Return a provider's cases, no body twice; `drawn` inputs of each model are drawn.

    They are of the routes that are on, or of all routes if none is.
    """
    found = {f"{one.upstream} {sorted(one.body.items())}": one for one in _all(provider, drawn)}
    return tuple(found.values())


def _all(provider: str, drawn: int) -> Iterator[Case]:
    mappers = providers()[provider].mappers()
    routes = [(model, route) for model in CATALOG.media_models() for route in model.routes]
    own = [(model, route) for model, route in routes if route.provider == provider]
    is_on = any(route.enabled for _, route in own)
    for model, route in own:
        if route.enabled or not is_on:
            for values in (shortest(model), *_drawn(model.id, drawn)):
                job = Job("task_truth", route.mapping, route.upstream, values)
                if values.keys().isdisjoint(FIELDS) and route.can_run(values):
                    try:
                        mapped = mappers[route.mapping](job)
                    except CannotMapError:
                        continue
                    yield Case(model.id, job, mapped.upstream, mapped.body)


@cache
def _drawn(model_id: str, count: int) -> tuple[Mapping[str, Any], ...]:
    model = CATALOG.media_model(model_id)
    found: list[Mapping[str, Any]] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(source=valid_inputs(model))
    def collect(source: dict[str, Any]) -> None:
        found.append(model.check(source).values)

    collect()
    return tuple(found)
