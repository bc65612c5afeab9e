"""Restrictions: one mechanism acts on validation, params and JSON Schema alike."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG, URL, parsed
from tollgate.catalog.errors import CatalogError
from tollgate.catalog.models import Model
from tollgate.catalog.params import ParamView, descriptors, json_schema
from tollgate.catalog.restrictions import Restrictions
from tollgate.kit.errors import InvalidInputError


def model_with(model_id: str, **restrictions: Any) -> Model:
    return parsed(model_id, restrictions=restrictions, pricing=PRICING, routes=ROUTES, free=None)


PRICING = {"unit": "generation", "prices": [{"key": "default", "price": "0.01", "isDefault": True}]}
ROUTES = [
    {"provider": "fal", "upstream": {"text": "x"}, "mapping": "x", "confidence": "FOUND",
     "costs": [{"cost": "0.01", "basis": "FOUND", "why": "a test"}]}
]  # fmt: skip


def paths(model: Model, source: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInputError) as raised:
        model.check(source)
    return [problem.path for problem in raised.value.problems]


def param(model: Model, name: str) -> ParamView:
    return next(one for one in descriptors(model) if one["name"] == name)


class TestDrop:
    model = model_with("seedance-1.5-pro", drop=["generateAudio", "imageWithRoles"])

    def test_the_field_is_unknown(self) -> None:
        assert paths(self.model, {"prompt": "x", "generateAudio": True}) == ["/input/generateAudio"]

    def test_its_default_is_gone(self) -> None:
        assert "generateAudio" not in self.model.check({"prompt": "x"}).values

    def test_it_is_published_nowhere(self) -> None:
        assert "generateAudio" not in [one["name"] for one in descriptors(self.model)]
        assert "generateAudio" not in json_schema(self.model)["properties"]

    def test_rules_over_the_other_fields_stay(self) -> None:
        assert paths(self.model, {}) == ["/input/prompt"]
        assert self.model.check({"imageUrls": [URL]}).given == {"imageUrls"}


class TestFields:
    def test_options_and_their_default(self) -> None:
        model = model_with(
            "seedance-1.5-pro", fields={"resolution": {"options": ["720p", "4k"], "default": "4k"}}
        )
        assert model.check({"prompt": "x"}).values["resolution"] == "4k"
        assert paths(model, {"prompt": "x", "resolution": "480p"}) == ["/input/resolution"]
        assert [one["value"] for one in param(model, "resolution")["options"]] == ["720p", "4k"]
        assert json_schema(model)["properties"]["resolution"]["enum"] == ["720p", "4k"]

    def test_options_take_the_place_of_a_range(self) -> None:
        model = model_with("seedance-1.5-pro", fields={"seed": {"options": [1, 2]}})
        assert model.check({"prompt": "x", "seed": 2.0}).values["seed"] == 2
        assert paths(model, {"prompt": "x", "seed": 3}) == ["/input/seed"]

    def test_a_longer_and_a_shorter_text(self) -> None:
        model = model_with("test-image", fields={"prompt": {"maxLength": 3}})
        assert model.check({"prompt": "cat", "size": "1:1"}).values["prompt"] == "cat"
        assert paths(model, {"prompt": "cats", "size": "1:1"}) == ["/input/prompt"]
        assert param(model, "prompt")["maxLength"] == 3
        assert param(model, "prompt")["required"] is True

    def test_the_number_of_items(self) -> None:
        model = model_with("seedance-1.5-pro", fields={"imageUrls": {"minItems": 1, "maxItems": 2}})
        assert model.check({"imageUrls": [URL, URL]}).values["imageUrls"] == [URL, URL]
        assert paths(model, {"imageUrls": [URL] * 3}) == ["/input/imageUrls"]
        assert paths(model, {"prompt": "x", "imageUrls": []}) == ["/input/imageUrls"]
        assert json_schema(model)["properties"]["imageUrls"]["maxItems"] == 2

    def test_the_range_of_a_number(self) -> None:
        model = model_with("seedance-1.5-pro", fields={"seed": {"minimum": 1, "maximum": 5}})
        assert model.check({"prompt": "x", "seed": 5}).values["seed"] == 5
        assert paths(model, {"prompt": "x", "seed": 6}) == ["/input/seed"]
        assert (param(model, "seed")["minimum"], param(model, "seed")["maximum"]) == (1, 5)

    def test_a_field_made_required(self) -> None:
        model = model_with("seedance-1.5-pro", fields={"imageUrls": {"required": True}})
        assert paths(model, {"prompt": "x"}) == ["/input/imageUrls"]
        assert param(model, "imageUrls")["required"] is True
        assert json_schema(model)["required"] == ["imageUrls"]

    def test_a_field_made_optional(self) -> None:
        model = model_with("test-image", fields={"prompt": {"required": False}})
        assert "prompt" not in model.check({"size": "1:1"}).values


class TestOneOf:
    model = model_with("seedance-1.5-pro", oneOf=[["imageUrls", "imageWithRoles"]])

    def test_is_needed(self) -> None:
        assert paths(self.model, {"prompt": "x"}) == ["/input"]
        assert self.model.check({"imageUrls": [URL]}).given == {"imageUrls"}

    def test_is_published(self) -> None:
        assert len(json_schema(self.model)["allOf"]) == len(self.model.input_class.rules)


class TestSwitches:
    model = model_with("seedance-1.5-pro", fields={"generateAudio": {"options": [True]}})

    def test_can_be_held_on(self) -> None:
        assert paths(self.model, {"prompt": "x", "generateAudio": False}) == ["/input/generateAudio"]
        assert self.model.check({"prompt": "x"}).values["generateAudio"] is True

    def test_are_published_so(self) -> None:
        assert json_schema(self.model)["properties"]["generateAudio"]["const"] is True


class TestRefusals:
    @pytest.mark.parametrize(
        ("restrictions", "reason"),
        [
            ({"drop": ["grounding"]}, "grounding"),
            ({"only": ["prompt", "sise"]}, "sise"),
            ({"fields": {"sise": {"required": True}}}, "sise"),
            ({"drop": ["seed"], "fields": {"seed": {"minimum": 1}}}, "that they drop"),
            ({"fields": {"size": {"minimum": 1}}}, "size has no minimum"),
            ({"fields": {"prompt": {"maxItems": 1}}}, "prompt has no max_items"),
            ({"fields": {"imageUrls": {"options": ["a"]}}}, "imageUrls takes no options"),
            ({"fields": {"resolution": {"options": ["720p"]}}}, "default '480p' is refused"),
        ],
    )
    def test_what_does_not_fit_the_profile(self, restrictions: dict[str, Any], reason: str) -> None:
        with pytest.raises(CatalogError, match=reason):
            _ = model_with("seedance-1.5-pro", **restrictions).input_class

    def test_a_model_without_restrictions_shares_its_profile(self) -> None:
        assert CATALOG.media_model("test-image").restrictions == Restrictions()
        assert CATALOG.media_model("test-image").input_class.__name__ == "ImgC"
