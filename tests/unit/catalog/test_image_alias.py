"""`imageUrls` is another name of the only field in which a model takes images, for every model."""

from functools import cache
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG, URL
from tests.unit.catalog.strategies import any_json, valid_inputs
from tollgate.catalog.checking import check
from tollgate.catalog.kinds import Many
from tollgate.catalog.models import Model
from tollgate.catalog.params import descriptors, json_schema, schema_of
from tollgate.catalog.profiles.base import ImageUrl, Profile, field
from tollgate.catalog.rules import CheckedInput
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

MODELS = CATALOG.media_models()
ALIASED = [model for model in MODELS if model.input_class.aliased_field() is not None]
EXAMPLES = examples(10)
UNKNOWN = "Unknown field 'imageUrls'. "


class TwoFields(Profile):
    firstFrame: ImageUrl = field("First frame", "The first frame.")
    lastFrame: ImageUrl = field("Last frame", "The last frame.")


class Required(Profile):
    pictures: Annotated[list[ImageUrl], Many(1, 2)] = field("Pictures", "Pictures.", required=True)


def verdict(model: Model | type[Profile], source: Any) -> CheckedInput | list[Problem]:
    """Return the checked input, or its problems."""
    try:
        return model.check(source) if isinstance(model, Model) else check(model, source)
    except InvalidInputError as error:
        return error.problems


def field_of(model: Model) -> str:
    """Return the model's own name of the alias."""
    name = model.input_class.aliased_field()
    assert name is not None
    return name


def is_array(model: Model) -> bool:
    return next(one["isArray"] for one in descriptors(model) if one["name"] == field_of(model))


def under_alias(model: Model, source: dict[str, Any]) -> dict[str, Any]:
    """Return the input with the images under `imageUrls`; a single URL becomes a list."""
    name = field_of(model)
    images = source[name] if is_array(model) else [source[name]]
    return {"imageUrls": images, **{key: value for key, value in source.items() if key != name}}


def with_image(model: Model, source: dict[str, Any]) -> dict[str, Any]:
    """Return the input with an image under the model's own name."""
    return {field_of(model): [URL] if is_array(model) else URL, **source}


@cache
def validator(model_id: str) -> Any:
    return Draft202012Validator(json_schema(CATALOG.media_model(model_id)))


class TestEveryModel:
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_takes_its_images_as_image_urls_if_it_has_one_field_for_them(self, model: Model) -> None:
        fields = [name for name in model.input_class.image_fields() if name != "imageUrls"]
        found = verdict(model, {"imageUrls": [URL]})
        unknown = isinstance(found, list) and any(one.message.startswith(UNKNOWN) for one in found)
        has_own = "imageUrls" in model.input_class.published()
        assert unknown == (not has_own and len(fields) != 1)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_has_a_rule_for_files_only_under_the_kind_of_its_field(self, model: Model) -> None:
        # An element has images or a video.
        images = set(model.input_class.image_fields()) - {"elements"}
        assert {one.field in images for one in model.input_class.media if one.kind == "image"} <= {True}
        assert {one.field in images for one in model.input_class.media if one.kind != "image"} <= {False}

    @pytest.mark.parametrize("model", ALIASED, ids=lambda model: model.id)
    def test_probes_no_file_under_the_alias(self, model: Model) -> None:
        # The problem of a probed file names the model's field, so such a rule first needs the path as sent.
        assert field_of(model) not in {one.field for one in model.input_class.media}

    def test_the_catalog_has_such_models(self) -> None:
        assert {field_of(model) for model in ALIASED} == {
            "urls",
            "imageUrl",
            "referenceImageUrl",
            "referenceImageUrls",
        }


class TestLaws:
    @pytest.mark.parametrize("model", ALIASED, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_the_alias_means_the_same_input(self, model: Model, data: st.DataObject) -> None:
        source = with_image(model, data.draw(valid_inputs(model)))
        expected, renamed = verdict(model, source), under_alias(model, source)
        if isinstance(expected, CheckedInput):
            assert verdict(model, renamed) == expected
            assert list(validator(model.id).iter_errors(renamed)) == []
        else:
            assert isinstance(verdict(model, renamed), list)

    @pytest.mark.parametrize("model", ALIASED, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_problems_are_the_same_under_the_name_that_was_sent(
        self, model: Model, data: st.DataObject
    ) -> None:
        source = {**data.draw(valid_inputs(model)), field_of(model): data.draw(any_json() | st.just([]))}
        expected, found = verdict(model, source), verdict(model, under_alias(model, source))
        if isinstance(expected, CheckedInput):
            assert found == expected
            return
        own, sent = f"/input/{field_of(model)}", "/input/imageUrls" + ("" if is_array(model) else "/0")
        paths = [
            sent + one.path.removeprefix(own) if one.path.startswith(own) else one.path for one in expected
        ]
        assert isinstance(found, list)
        assert [one.path for one in found] == paths
        assert [one.message for one in found] == [one.message for one in expected]

    @pytest.mark.parametrize("model", ALIASED, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_any_value_gets_a_verdict_that_the_schema_shares(self, model: Model, data: st.DataObject) -> None:
        source = {**data.draw(valid_inputs(model)), "imageUrls": data.draw(any_json())}
        if isinstance(verdict(model, source), CheckedInput):
            assert list(validator(model.id).iter_errors(source)) == []

    @pytest.mark.parametrize("model", ALIASED, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_both_names_are_refused(self, model: Model, data: st.DataObject) -> None:
        both = {**with_image(model, data.draw(valid_inputs(model))), "imageUrls": [URL]}
        message = f"Cannot be combined with {field_of(model)}, because both are the same field."
        found = verdict(model, both)
        assert isinstance(found, list)
        assert found[0] == Problem("/input/imageUrls", message)
        assert list(validator(model.id).iter_errors(both)) != []


class TestMessages:
    def test_an_item_is_named_as_sent(self) -> None:
        model = CATALOG.media_model("gpt-image-2")
        found = verdict(model, {"prompt": "x", "imageUrls": [URL, URL, "cat.png"]})
        assert found == [
            Problem("/input/imageUrls/2", "Must be an absolute http(s) URL.", "an absolute http(s) URL")
        ]

    def test_too_many(self) -> None:
        found = verdict(CATALOG.media_model("test-image"), {"prompt": "x", "imageUrls": [URL, URL]})
        assert found == [Problem("/input/imageUrls", "Must have at most 1 item, has 2.", "at most 1 item")]

    @pytest.mark.parametrize(
        ("images", "message"),
        [
            ([], "Must have exactly 1 item, has 0."),
            ([URL, URL], "Must have exactly 1 item, has 2."),
            (URL, "Must be an array."),
            (None, "Must be an array. Null is no value: send one, or leave the field out."),
        ],
    )
    def test_a_single_url_is_a_list_of_one(self, images: Any, message: str) -> None:
        found = verdict(CATALOG.media_model("suno"), {"prompt": "x", "imageUrls": images})
        assert found == [Problem("/input/imageUrls", message, "exactly 1 item")]

    def test_a_model_with_several_names_lists_them(self) -> None:
        message = UNKNOWN + "Images of this model have the names firstFrame, lastFrame."
        assert verdict(TwoFields, {"imageUrls": [URL]}) == [Problem("/input/imageUrls", message)]

    def test_a_model_without_images_says_so(self) -> None:
        found = verdict(CATALOG.media_model("veo-3.1-lite"), {"prompt": "x", "imageUrls": [URL]})
        assert found == [Problem("/input/imageUrls", UNKNOWN + "This model takes no images.")]

    def test_a_required_field_may_come_under_the_alias(self) -> None:
        assert verdict(Required, {"imageUrls": [URL]}) == check(Required, {"pictures": [URL]})
        assert verdict(Required, {}) == [Problem("/input/pictures", "Required.")]
        accepts = Draft202012Validator(schema_of(Required)).is_valid
        assert accepts({"imageUrls": [URL]})
        assert accepts({"pictures": [URL]})
        assert not accepts({})
        assert not accepts({"pictures": [URL], "imageUrls": [URL]})


class TestSchema:
    def test_names_the_models_own_field(self) -> None:
        shown = json_schema(CATALOG.media_model("test-image"))["properties"]["imageUrls"]
        assert shown["description"] == "Another name of urls. Do not send both."
        assert (shown["type"], shown["maxItems"]) == ("array", 1)

    def test_a_model_with_its_own_field_keeps_it(self) -> None:
        shown = json_schema(CATALOG.media_model("kling-3.0"))["properties"]["imageUrls"]
        assert "Another name" not in shown["description"]
