"""A model that is new to a provider, of a family that it has, needs no word in the simulator."""

from collections.abc import Iterator

import pytest

from local.simulator.providers import families
from local.simulator.providers.inputs import images
from tests.support.simulator import running_simulator
from tests.unit.providers.mapping_support import shortest
from tests.unit.providers.test_mapping_catalog import NOWHERE, SHORT, adapter
from tollgate.catalog.models import Model, Route
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import Submitted, Succeeded

NEXT = "-next"
ONE_OF_EACH = {(route.provider, route.mapping): (model, route) for model, route in SHORT}
SAID_BY_ID = {
    *(("apimart", name) for name in ("midjourney", "seedance-2", "suno")),
    *(("kie", name) for name in ("suno", "wan-2.7-video")),
    *(("ark", "seedance-2"), ("dashscope", "wan-2.7-video"), ("fal", "minimax-h3"), ("piapi", "kling-4.0")),
}
"""Families whose models take different bodies, by their ids: a new one needs words in the mapping as well."""
FAMILIES = [
    each
    for family, each in sorted(ONE_OF_EACH.items(), key=lambda one: one[0])
    if family[0] != TEST and family not in SAID_BY_ID
]


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    """Serve the simulator."""
    with running_simulator() as url:
        yield url


@pytest.mark.parametrize(
    ("model", "route"), FAMILIES, ids=[f"{two.provider} {two.mapping}" for _, two in FAMILIES]
)
def test_an_id_that_the_catalog_has_is_known(
    simulator: str, monkeypatch: pytest.MonkeyPatch, model: Model, route: Route
) -> None:
    upstream = {kind: name + NEXT for kind, name in route.upstream.items()}
    newer = [((route.mapping, kind), name) for kind, name in upstream.items()]
    known = families.upstreams(route.provider)
    monkeypatch.setattr(families, "upstreams", lambda _: [*newer, *known])
    job = Job("task_1", route.mapping, upstream, shortest(model), NOWHERE)
    submitted = adapter(route.provider, simulator).submit(job)
    assert isinstance(submitted, Submitted | Succeeded), submitted


def test_a_new_version_has_the_input_of_the_most_similar_id(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = [(("fox", "default"), name) for name in ("fox-4-0", "fox-5-0", "fox-5-0-ultra")]
    monkeypatch.setattr(families, "upstreams", lambda _: versions)
    models = {"fox-4-0": images(), "fox-5-0": images(seed=int)}
    assert families.input_of("any", "fox-5-0-ultra", models) is models["fox-5-0"]


def test_an_id_that_nobody_has_is_not() -> None:
    assert families.relatives("fal", "nobody/has/it") == []
