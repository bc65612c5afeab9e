"""What a param says of itself agrees with what it takes: no number beside a limit contradicts it."""

import re

import pytest

from tests.unit.catalog.test_contract_is_live import LIVE
from tollgate.catalog.kinds import Flag, Many
from tollgate.catalog.models import Model
from tollgate.catalog.params import ParamView, descriptors, json_schema

MODELS = LIVE.media_models()
THINGS = "images?|videos?|files?|frames?|tracks?|scenes?|tasks?|people|hex"
COUNT = re.compile(rf"\b(?:Up to|Exactly|At most|\d+ to) (\d+|one) (?:\w+ )?(?:{THINGS})\b")
TIER = re.compile(r"\b(\d+(?:p|[kK]))\b")
SECONDS = re.compile(r"\b(\d+) keeps the length")


def said(model: Model) -> list[tuple[ParamView, str]]:
    return [(param, param["description"]) for param in descriptors(model)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
class TestWhatIsSaid:
    def test_a_count_is_the_limit(self, model: Model) -> None:
        kinds = model.input_class.kinds()
        for param, text in said(model):
            kind = kinds[param["name"]]
            if isinstance(kind, Many) and (found := COUNT.match(text)):
                stated = 1 if found[1] == "one" else int(found[1])
                assert stated == kind.max_items, (param["name"], text)

    def test_a_resolution_that_is_named_can_be_had(self, model: Model) -> None:
        options = [param.get("options", []) for param in descriptors(model) if param["name"] == "resolution"]
        tiers = {str(one["value"]).lower() for values in options for one in values}
        for param, text in said(model):
            named = {tier.lower() for tier in TIER.findall(text)}
            assert not tiers or named <= tiers, (param["name"], text)

    def test_a_length_that_is_named_can_be_had(self, model: Model) -> None:
        for param, text in said(model):
            for number in map(int, SECONDS.findall(text)):
                options = [one["value"] for one in param.get("options", [])]
                assert number in options or param.get("minimum", 1) <= number <= param.get("maximum", 0)

    def test_a_flag_that_can_be_one_thing_says_which(self, model: Model) -> None:
        schema = json_schema(model)["properties"]
        for param, _ in said(model):
            kind = model.input_class.kinds()[param["name"]]
            if isinstance(kind, Flag):
                options = [one["value"] for one in param.get("options", [])]
                assert options == ([] if kind.only is None else [kind.only])
                assert schema[param["name"]].get("const") is kind.only


def test_a_limit_that_a_model_narrows_is_said() -> None:
    urls = {param["name"]: param for param in descriptors(LIVE.media_model("nano-banana-pro"))}["urls"]
    assert urls["description"] == "Up to 8 images to use as a reference."
    images = {param["name"]: param for param in descriptors(LIVE.media_model("seedance-1.0-pro-fast"))}[
        "imageUrls"
    ]
    assert images["description"] == "One image. Not with imageWithRoles."
