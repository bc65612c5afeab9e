"""A model with its live routes only: its input, its prices and its published params are what they take."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG, URL
from tollgate.catalog.lint import faults
from tollgate.catalog.live_routes import with_routes
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.params import descriptors
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

PROVIDERS = sorted({route.provider for model in CATALOG.media_models() for route in model.routes})


def live(model_id: str, *providers: str) -> Model:
    return CATALOG.with_live(frozenset(providers)).media_model(model_id)


def without_songs() -> Model:
    """Return a model whose default action has no route."""
    base = CATALOG.media_model("suno")
    return with_routes(base, [replace(base.routes[0], takes={"action": ["sound", "voice"]})])


def options(model: Model, name: str) -> list[Any]:
    shown = next(one for one in descriptors(model) if one["name"] == name)
    return [option["value"] for option in shown["options"]]


class TestValues:
    def test_are_those_that_some_live_route_takes(self) -> None:
        assert options(live("grok-imagine-video", "fal"), "duration") == [6, 10, 15]
        assert options(live("grok-imagine-video", "fal", "kie"), "duration") == [6, 10, 15, 20, 25, 30]

    def test_that_none_takes_are_refused(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            live("grok-imagine-video", "fal").check({"prompt": "x", "duration": 20})
        assert [problem.path for problem in raised.value.problems] == ["/input/duration"]

    def test_of_a_range_become_options(self) -> None:
        model = live("minimax-h3", "poyo")
        assert options(model, "duration") == list(range(5, 16))
        assert (model.check({"prompt": "x", "duration": 15, "resolution": "2k"}).values["duration"]) == 15

    def test_a_default_gives_way_to_the_one_value_that_is_left(self) -> None:
        assert live("minimax-h3", "poyo").check({"prompt": "x"}).values["resolution"] == "2k"

    def test_a_default_gives_way_to_a_choice(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            without_songs().check({"prompt": "x"})
        assert raised.value.problems[0] == Problem("/input/action", "Required.")

    def test_a_switch_that_stays_off(self) -> None:
        model = live("flux-3-video", "poyo")
        assert model.check({"prompt": "x", "draft": False}).values["draft"] is False
        with pytest.raises(InvalidInputError, match="Must be false for this model"):
            model.check({"prompt": "x", "draft": True})

    def test_a_text_that_has_one_value(self) -> None:
        model = live("suno", "poyo")
        assert model.check({"prompt": "x", "stemType": "lead_vocal"}).values["stemType"] == "lead_vocal"
        with pytest.raises(InvalidInputError, match="Must be one of: lead_vocal"):
            model.check({"prompt": "x", "stemType": "drums"})

    def test_a_switch_of_one_provider_chooses_it(self) -> None:
        model = live("seedance-2.0", "fal", "kie")
        checked = model.check({"prompt": "x", "nsfwCheck": True})
        assert [route.provider for route in model.routes_for(checked.values)] == ["kie"]
        with pytest.raises(InvalidInputError, match="Unknown field 'seed'"):
            model.check({"prompt": "x", "seed": 1})

    def test_a_field_that_none_takes_is_gone(self) -> None:
        with pytest.raises(InvalidInputError, match="Unknown field 'urls'"):
            live("z-image", "kie").check({"prompt": "x", "size": "1:1", "urls": [URL]})
        live("z-image", "kie", "fal").check({"prompt": "x", "urls": [URL]})


class TestItems:
    def test_are_no_more_than_the_widest_live_route_takes(self) -> None:
        model = live("seedance-1.5-pro", "fal", "poyo")
        assert model.check({"imageUrls": [URL] * 2}).values["imageUrls"] == [URL] * 2
        with pytest.raises(InvalidInputError) as raised:
            model.check({"imageUrls": [URL] * 3})
        assert raised.value.problems == [
            Problem("/input/imageUrls", "Must have at most 2 items, has 3.", "at most 2 items")
        ]

    def test_are_the_models_where_one_route_has_no_bound(self) -> None:
        base = CATALOG.media_model("seedance-1.5-pro")
        bounded, free = base.routes[0], replace(base.routes[1], max_items={})
        model = with_routes(base, [bounded, free])
        nine = model.check({"imageUrls": [URL] * 9}).values
        assert model.routes_for(nine) == [free]

    def test_the_widest_route_decides(self) -> None:
        base = CATALOG.media_model("seedance-1.5-pro")
        routes = [
            replace(route, max_items={"imageUrls": most})
            for route, most in zip(base.routes[:2], (1, 4), strict=True)
        ]
        model = with_routes(base, routes)
        four = model.check({"prompt": "x", "imageUrls": [URL] * 4}).values
        assert model.routes_for(four) == routes[1:]
        with pytest.raises(InvalidInputError, match="at most 4 items"):
            model.check({"imageUrls": [URL] * 5})


class TestPrices:
    def test_of_values_that_none_takes_are_not_published(self) -> None:
        assert [price.key for price in live("flux-3-video", "poyo").pricing.prices] == [
            "720p", "1080p", "720p-video", "1080p-video",
        ]  # fmt: skip

    def test_of_source_videos_go_with_their_field(self) -> None:
        assert [price.key for price in live("kling-4.0", "piapi").pricing.prices] == ["720p", "1080p"]

    def test_of_items_go_with_their_field(self) -> None:
        assert [extra.key for extra in live("qwen-image-3", "kie").pricing.extras] == ["reference_image"]
        assert live("qwen-image-3", "dashscope").pricing.extras == []

    def test_one_is_always_the_default(self) -> None:
        prices = without_songs().pricing.prices
        assert [price.key for price in prices if price.is_default] == ["sound"]

    def test_have_another_version(self) -> None:
        assert live("suno", "poyo").pricing.version != CATALOG.media_model("suno").pricing.version


class TestRoutes:
    def test_for_an_input_are_those_that_take_it(self) -> None:
        model = live("grok-imagine-video", "fal", "kie")
        assert [route.provider for route in model.routes_for({"duration": 30})] == ["kie"]
        assert [route.provider for route in model.routes_for({"duration": 6})] == ["fal", "kie"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_alone_leaves_good_models(provider: str) -> None:
    for model in Catalog.shipped().with_live(frozenset({provider})).media_models():
        assert faults(model) == [], model.id
        assert model.input_class.kinds()
