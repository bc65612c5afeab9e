"""The catalog's routes and the mappings fit each other: by name, for any valid input, and on the wire."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from local.machine.service import PROVIDERS
from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import valid_inputs
from tests.unit.providers.mapping_support import shortest
from tests.unit.providers.support import connected, first_bytes, run
from tollgate.catalog.kinds import Choice, Kind, Whole
from tollgate.catalog.models import Model, Route
from tollgate.kit.clock import SystemClock
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.mapping.fields import DEFAULT
from tollgate.providers.mapping.grok import within_grok_bounds
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import INT32_MAX
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.media.test.media import Adapter as MediaTestProvider
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import Submitted, Succeeded
from tollgate.providers.runtime.registry import MappingNames, providers
from tollgate.tasks.followups import FIELDS

LIVE = CATALOG.with_live(frozenset(MappingNames()), MappingNames())
MODELS = LIVE.media_models()
ROUTES = [(model, route) for model in CATALOG.media_models() for route in model.routes]
ON = [(model, route) for model in MODELS for route in model.routes]
REAL = [(model, route) for model, route in ON if route.provider != TEST]
OURS = [(model, route) for model, route in ROUTES if route.provider in MappingNames()]

WITHOUT_A_ROUTE = {"sora-2", "sora-2-official", "sora-2-pro"}
"""Withdrawn by their vendors: every route is off."""

WITHOUT_ROUTES = {
    ("minimax", "hailuo"),
    *((provider, name) for provider in ("kling", "mjproxy") for name in MappingNames()[provider]),
}
"""Mappings whose prices were not read: their routes come with a catalog that is pushed."""

NOWHERE = "http://127.0.0.1:9"
"""Some jobs have to name an address to call back; nobody listens there."""
CHANGE_THE_RESULT = ("aspectRatio", "duration", "resolution", "size")
"""Fields of which a route lists the values in `takes`, if its provider lacks some (decision 0010)."""
TRACKS: Mapping[str, Any] = {"audioId": "1", "audioIds": ["1", "2"]}
"""How tracks are called where they have no names of their own; where they have, any name may be one."""


def job_for(route: Route, values: Mapping[str, Any]) -> Job:
    return Job("task_1", route.mapping, route.upstream, values, NOWHERE)


def is_mapped(route: Route, values: Mapping[str, Any]) -> bool:
    """Return whether a route gives a body; anything but `CannotMapError` comes through."""
    try:
        mapped = providers()[route.provider].mappers()[route.mapping](job_for(route, values))
    except CannotMapError:
        return False
    assert mapped.upstream.startswith(tuple(route.upstream.values()))
    return True


def takes(route: Route, values: Mapping[str, Any]) -> bool:
    """Return whether a route can run values, and its mapping gives a body."""
    return route.can_run(values) and is_mapped(route, values)


STARTS: Mapping[str, tuple[bytes, ...]] = {
    "IMAGE": (b"\x89PNG", b"\xff\xd8\xff"),
    "VIDEO": (b"\x00\x00\x00",),
    "MUSIC": (b"ID3",),
    "3D": (b"glTF",),
}
"""How the files of each media type begin; an image is a PNG or a JPEG."""
# Some routes are missing, because they want an image.
SHORT = [(model, route) for model, route in ON if takes(route, shortest(model))]


def options(kind: Kind | None) -> Sequence[Any]:
    """Return the values of a choice or of a whole number."""
    match kind:
        case Choice(values=values):
            return values
        case Whole(minimum=low, maximum=high):
            return range(low, high + 1)
    return ()


Fits = Callable[[Mapping[str, Any]], bool]


def fits_with(model: Model, source: Mapping[str, Any], fixed: Mapping[str, Any], fits: Fits) -> bool:
    """Return whether an input with the `fixed` values in it is valid and `fits`."""
    try:
        return fits(model.check({**source, **fixed}).values)
    except InvalidInputError:
        return False


def find_input(model: Model, fixed: Mapping[str, Any], fits: Fits, tries: int) -> Mapping[str, Any] | None:
    """Return the first of `tries` inputs that `fits` with the `fixed` values."""
    try:
        return find(
            valid_inputs(model),
            lambda source: fits_with(model, source, fixed, fits),
            settings=settings(max_examples=tries, phases=[Phase.generate]),
        )
    except NoSuchExample:
        return None


class TestNames:
    @pytest.mark.parametrize(("model", "route"), OURS, ids=[f"{one.id} {two.provider}" for one, two in OURS])
    def test_a_route_that_is_on_has_its_mapping(self, model: Model, route: Route) -> None:
        assert not route.enabled or route.mapping in MappingNames()[route.provider]

    @pytest.mark.parametrize(("model", "route"), ON, ids=[f"{one.id} {two.provider}" for one, two in ON])
    def test_a_route_that_is_on_takes_some_input(self, model: Model, route: Route) -> None:
        # Raises `NoSuchExample` if the mapping refuses all, such as for an id that it does not know.
        assert (model, route) in SHORT or find(
            valid_inputs(model), lambda source: takes(route, model.check(source).values)
        )

    @pytest.mark.parametrize(("model", "route"), REAL, ids=[f"{one.id} {two.provider}" for one, two in REAL])
    def test_a_route_takes_no_value_that_its_mapping_never_has(self, model: Model, route: Route) -> None:
        def maps(values: Mapping[str, Any]) -> bool:
            return takes(route, values)

        kinds = model.input_class.kinds()
        accepted = [
            {name: value}
            for name in CHANGE_THE_RESULT
            for value in options(kinds.get(name))
            if value in route.takes.get(name, [value])
        ]
        # An input that a mapping takes with one value (it may need an image) mostly fits with the others too.
        taken = [shortest(model)]
        never = []
        for fixed in accepted:
            if any(fits_with(model, source, fixed, maps) for source in taken):
                continue
            source = find_input(model, fixed, maps, 20)
            # Rules can keep a value from the route in every input, so it needs no `takes`.
            if source is None and find_input(model, fixed, route.can_run, 50) is not None:
                source = find_input(model, fixed, maps, 1_000)
                never += [fixed] if source is None else []
            taken += [] if source is None else [source]
        assert never == [], f"{model.id}: `takes` of {route.provider} must leave these out"

    def test_every_live_model_has_a_route_for_its_shortest_input(self) -> None:
        assert [model.id for model in MODELS if model not in [one for one, _ in SHORT]] == []

    def test_the_models_without_a_live_route_are_these(self) -> None:
        ids = {model.id for model in CATALOG.media_models()}
        assert ids - {model.id for model in MODELS} == WITHOUT_A_ROUTE

    def test_no_mapping_is_there_for_nothing(self) -> None:
        used = {(route.provider, route.mapping) for _, route in OURS}
        known = {(provider, name) for provider, names in MappingNames().items() for name in names}
        assert known - used == WITHOUT_ROUTES


def is_within_grok_bounds(values: Mapping[str, Any]) -> bool:
    try:
        within_grok_bounds(values)
    except CannotMapError:
        return False
    return True


class TestAnyInput:
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=examples(12), suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.data())
    def test_every_route_gives_a_body_or_says_that_it_cannot(self, model: Model, data: st.DataObject) -> None:
        values = model.check(data.draw(valid_inputs(model))).values
        for route in model.routes:
            is_mapped(route, values)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=examples(12), suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.data())
    def test_at_least_one_live_route_gives_a_body(self, model: Model, data: st.DataObject) -> None:
        values = model.check(data.draw(valid_inputs(model))).values
        values = {name: TRACKS.get(name, value) for name, value in values.items()}
        routes = model.routes_for(values)
        # Without one, the input is refused before it is charged.
        assume(routes)
        # So is this, by every platform that has the model (docs/providers/xai.md).
        assume(model.id != "grok-imagine-video-1.5" or is_within_grok_bounds(values))
        # And this: fal's price is known for five images only, and MiniMax takes no seed.
        assume(model.id != "minimax-h3" or len(values.get("imageUrls") or ()) <= 5 or "seed" not in values)
        # And this, by the only carrier whose price for edits is known (docs/providers/kie.md).
        is_large_square = (values.get("size"), values.get("resolution")) == ("1:1", "4k")
        assume(not (model.id.startswith("gpt-image-2.5") and values.get("urls") and is_large_square))
        # And this: only fal takes larger seeds than the other carriers, and it cannot end its check.
        is_unchecked = values.get("seed", 0) > INT32_MAX and values.get("enableSafetyChecker") is False
        assume(not (model.id == "wan-2.7-text-to-video" and is_unchecked))
        assert any(is_mapped(route, values) for route in routes)


@pytest.fixture(scope="module")
def seen() -> set[tuple[str, str]]:
    """Return the providers and media types that made a file in an earlier test."""
    return set()


@cache
def adapter(provider: str, simulator: str) -> MediaProvider:
    if provider == TEST:
        return MediaTestProvider(SystemClock())
    return connected(provider, simulator + PROVIDERS[provider].simulator_path)


class TestOnTheWire:
    @pytest.mark.parametrize(
        ("model", "route"), SHORT, ids=[f"{one.id} {two.provider}" for one, two in SHORT]
    )
    def test_the_shortest_input_of_each_model_is_done(
        self, simulator_url: str, seen: set[tuple[str, str]], model: Model, route: Route
    ) -> None:
        # Some answer with the result at once, and the first outcome is the last.
        *_, done = run(adapter(route.provider, simulator_url), job_for(route, shortest(model)))
        assert isinstance(done, Succeeded), done
        # What makes no file tells something.
        assert done.files or done.output
        kind = (route.provider, model.media_type)
        # The simulator makes all files of a kind alike, and takes long for each.
        if done.files and kind not in seen:
            assert first_bytes(done.files[0]).startswith(STARTS[model.media_type])
            seen.add(kind)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=examples(4), suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_what_a_mapping_says_the_provider_takes(
        self, simulator_url: str, model: Model, data: st.DataObject
    ) -> None:
        values = model.check(data.draw(valid_inputs(model))).values
        # The simulator knows no jobs but its own.
        assume(values.keys().isdisjoint(FIELDS))
        for route in model.routes_for(values):
            if is_mapped(route, values):
                submitted = adapter(route.provider, simulator_url).submit(job_for(route, values))
                assert isinstance(submitted, Submitted | Succeeded), submitted


def test_a_variant_is_one_of_the_routes_or_its_default() -> None:
    for model, route in OURS:
        assert route.upstream, model.id
        assert DEFAULT not in route.upstream or len(route.upstream) == 1
