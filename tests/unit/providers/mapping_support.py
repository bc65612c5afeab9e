"""What the mapping tests share: a request body as it comes out of the catalog's own route."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.support import creates
from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.models import Model, Route
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.registry import providers

A, B, C = (f"https://a.test/{name}.png" for name in "abc")
V, W = "https://a.test/v.mp4", "https://a.test/w.mp4"
S = "https://a.test/s.mp3"
FIRST = {"url": A, "role": "first_frame"}
LAST = {"url": B, "role": "last_frame"}
REFERENCE = {"url": C, "role": "reference_image"}

Case = tuple[str, dict[str, Any], str, dict[str, Any]]
"""A model, an input, the provider's id and its body."""
Refusal = tuple[str, dict[str, Any], str]
"""A model, an input or values, and why the provider cannot take them."""
_SONG = CATALOG.media_model("suno").check({"prompt": "a song"}).values
SONG = {name: value for name, value in _SONG.items() if name != "prompt"}
"""The values of a song that have defaults."""


def route_of(provider: str, model_id: str) -> Route:
    """Return the catalog's route of a model to a provider, also one that is off."""
    routes = {route.provider: route for route in CATALOG.media_model(model_id).routes}
    assert provider in routes, f"catalog/data/{model_id}.yaml has no route to {provider}"
    return routes[provider]


def job_of(provider: str, model_id: str, source: dict[str, Any]) -> Job:
    """Return the job for an input, checked and with the profile's defaults."""
    route = route_of(provider, model_id)
    try:
        values = CATALOG.media_model(model_id).check(source).values
    except InvalidInputError as error:
        error.add_note(f"The catalog itself refuses this input of {model_id}: {source}")
        raise
    return Job("task_1", route.mapping, route.upstream, values)


def shortest(model: Model) -> Mapping[str, Any]:
    """Return the values of the shortest input of a model."""
    return model.check(creates.shortest(model, "a fox", A, V, S)).values


def mapped(provider: str, model_id: str, source: dict[str, Any]) -> Mapped:
    """Return the provider's words for an input."""
    job = job_of(provider, model_id, source)
    return providers()[provider].mappers()[job.mapping](job)


def said(provider: str, model_id: str, values: dict[str, Any]) -> Mapped:
    """Return the provider's words for values that the catalog refuses, so that no input leads to them."""
    route = route_of(provider, model_id)
    return providers()[provider].mappers()[route.mapping](
        Job("task_1", route.mapping, route.upstream, values)
    )


def in_words(provider: str, cases: Sequence[Case]) -> Callable[..., None]:
    """Return a test that a provider's words for each input are those of its case."""

    def test(model_id: str, source: dict[str, Any], upstream: str, body: dict[str, Any]) -> None:
        assert mapped(provider, model_id, source) == Mapped(upstream, body)

    marked: Callable[..., None] = pytest.mark.parametrize(
        ("model_id", "source", "upstream", "body"), cases, ids=names(cases)
    )(test)
    return marked


def without_words(provider: str, cases: Sequence[Refusal]) -> Callable[..., None]:
    """Return a test that a provider has no words for values, whether the catalog takes them or not."""

    def test(model_id: str, values: dict[str, Any], reason: str) -> None:
        with pytest.raises(CannotMapError, match=reason):
            said(provider, model_id, values)

    marked: Callable[..., None] = pytest.mark.parametrize(
        ("model_id", "values", "reason"), cases, ids=names(cases)
    )(test)
    return marked


def names(cases: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return a name for each case: its model and the fields of its input."""
    return [f"{case[0]}: {' '.join(case[1]) or 'nothing'}" for case in cases]
