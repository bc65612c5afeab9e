"""The whole contract is live: each value and bound of each field of each profile reaches a provider.

Each facet (`contract.py`) is tried on every served model of its profile, beside inputs that the contract's
own sentences allow, until one model accepts it and one of its routes carries it. Real providers come first;
what only this service's own test models take is listed here, so that it cannot grow unseen.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.unit.catalog import (
    image_cases,
    later_video_cases,
    midjourney_cases,
    music_cases,
    test_vid_f,
    tool_cases,
    video_cases,
)
from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.contract import BESIDE, BOUNDS_OF_OURS, Facet, Input, P, facets
from tests.unit.providers.test_mapping_catalog import TRACKS, is_mapped
from tollgate.catalog.models import Model, Route
from tollgate.catalog.profiles import PROFILES, profile_named
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.runtime.registry import MappingNames
from tollgate.tasks.followups import FIELDS

LIVE = CATALOG.with_live(frozenset(MappingNames()), MappingNames())
TABLES = (image_cases, video_cases, later_video_cases, midjourney_cases, music_cases, test_vid_f, tool_cases)

STOOD_IN_FOR = {
    "VID-A": {"aspectRatio", "duration", "prompt", "urls"},
    "VID-B": {"aspectRatio", "duration", "prompt", "urls"},
    "VID-F": {"imageUrls"},
    "Music": {
        "aspectRatio", "backgroundColors", "imageUrl", "quality", "stemType",
    },
}  # fmt: skip
"""The fields of which only a test model takes every value: no provider sells that, or none was read to."""


NOT_AT_THE_FIRST = {("suno", "music-cover")}
"""Follow-ups that the first provider of a model lacks (site/test-models.md#stand-ins)."""


@cache
def served(profile: str) -> tuple[Model, ...]:
    """Return the served models of a profile, those of real providers first."""
    found = [model for model in LIVE.media_models() if model.profile == profile]
    return tuple(sorted(found, key=is_test))


def is_test(model: Model) -> bool:
    return all(route.provider == TEST for route in model.routes)


def beside(profile: str) -> Iterator[Input]:
    """Return inputs that a facet can be put into: ours, and those that the contract's sentences allow."""
    yield from (P, {}, *BESIDE.get(profile, []))
    for table in TABLES:
        cases: Any = getattr(table, profile.upper().replace("-", "_"), [])
        yield from (source for _, source, faulty in cases if not faulty)


def reached(profile: str, facet: Facet) -> Model | None:
    """Return the first model that takes the facet and has a route that carries it."""
    for model in served(profile):
        for source in beside(profile):
            if is_carried(model, {**source, facet.field: facet.value}, facet.field):
                return model
    return None


def carriers(model: Model, source: Input) -> list[Route]:
    """Return the routes that carry an input, best first; none if the model refuses it."""
    try:
        values = model.check(source).values
    except InvalidInputError:
        return []
    values = {name: TRACKS.get(name, value) for name, value in values.items()}
    return [route for route in model.routes_for(values) if is_mapped(route, values)]


def is_carried(model: Model, source: Input, field: str) -> bool:
    try:
        values = model.check(source).values
    except InvalidInputError:
        return False
    # A deprecated or blank value counts as left out: that is no value reaching a provider.
    if field not in values:
        return False
    values = {name: TRACKS.get(name, value) for name, value in values.items()}
    return any(is_mapped(route, values) for route in model.routes_for(values))


def promised(profile: str) -> list[Facet]:
    found = list(facets(profile_named(profile)))
    return [facet for facet in found if (profile, facet.field, facet.name) not in BOUNDS_OF_OURS]


@pytest.mark.parametrize("profile", PROFILES)
def test_each_value_and_bound_of_each_field_reaches_a_provider(profile: str) -> None:
    stood_in = set()
    for facet in promised(profile):
        model = reached(profile, facet)
        assert model is not None, f"{profile}: no served model takes {facet.field}: {facet.name}"
        if is_test(model):
            stood_in.add(facet.field)
    assert stood_in == STOOD_IN_FOR.get(profile, set())


@pytest.mark.parametrize(
    "model", [one for one in LIVE.media_models() if not is_test(one)], ids=lambda one: one.id
)
def test_the_first_provider_of_a_model_can_also_follow_up_on_its_results(model: Model) -> None:
    """A follow-up runs at the provider that has the earlier result, so others would refuse it."""
    sources = [source for source in beside(model.profile) if not source.keys() & set(FIELDS)]
    first = next((route.provider for source in sources for route in carriers(model, source)), None)
    missed = set()
    for facet in promised(model.profile):
        if facet.field not in (*FIELDS, "action"):
            continue
        inputs = [{**source, facet.field: facet.value} for source in beside(model.profile)]
        able = {
            route.provider
            for source in inputs
            if source.keys() & set(FIELDS)
            for route in carriers(model, source)
        }
        if able and first not in able:
            missed.add((model.id, facet.name))
    assert missed == {one for one in NOT_AT_THE_FIRST if one[0] == model.id}


def test_a_model_that_stands_in_says_so() -> None:
    for model in filter(is_test, LIVE.media_models()):
        assert model.id.startswith("test-")
        assert "test" in model.tags
        assert model.free


def test_what_is_left_out_is_there() -> None:
    known = {(name, facet.field, facet.name) for name in PROFILES for facet in facets(profile_named(name))}
    assert known >= BOUNDS_OF_OURS.keys()
