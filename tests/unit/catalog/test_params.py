"""The published input: descriptors and JSON Schema come from the class that checks."""

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.params import descriptors, json_schema

KEYS = {
    "name", "label", "description", "kind", "isArray", "required", "default", "options", "minimum", "maximum",
    "maxLength", "isMedia", "isPrompt", "multiline", "deprecated",
}  # fmt: skip
OPTIONAL = {"default", "options", "minimum", "maximum", "maxLength"}


class TestDescriptors:
    def test_have_the_keys_of_the_contract(self) -> None:
        for model in CATALOG.media_models():
            for one in descriptors(model):
                assert KEYS - OPTIONAL <= one.keys() <= KEYS, (model.id, one["name"])

    def test_z_image(self) -> None:
        plain = {
            "isArray": False,
            "isMedia": False,
            "isPrompt": False,
            "multiline": False,
            "deprecated": False,
        }
        sizes = [{"value": one, "label": one} for one in ("1:1", "4:3", "3:4", "16:9", "9:16")]
        assert descriptors(CATALOG.media_model("z-image")) == [
            plain | {
                "name": "prompt", "label": "Prompt", "kind": "string", "required": True, "maxLength": 1000,
                "description": "A description of the image, or of the changes to the given image.",
                "isPrompt": True, "multiline": True,
            },
            plain | {
                "name": "urls", "label": "Reference image", "kind": "string", "required": False,
                "description": "Exactly one image to edit. Without it, a new image is generated.",
                "isArray": True, "isMedia": True,
            },
            plain | {
                "name": "size", "label": "Aspect ratio", "kind": "string", "required": False,
                "description": "Ratio of width to height. Required without a reference image.",
                "default": "1:1", "options": sizes,
            },
            plain | {
                "name": "enableSafetyChecker", "label": "Safety checker", "kind": "boolean",
                "description": "Refuse results that fail the provider's content check.",
                "required": False, "default": True,
            },
        ]  # fmt: skip

    def test_numbers_objects_and_choices_of_numbers(self) -> None:
        found = {one["name"]: one for one in descriptors(CATALOG.media_model("seedance-1.5-pro"))}
        seed, frames, duration = found["seed"], found["imageWithRoles"], found["duration"]
        assert (seed["kind"], seed["minimum"], seed["maximum"], "default" in seed) == (
            "number",
            0,
            4294967295,
            False,
        )
        assert (frames["kind"], frames["isArray"], frames["isMedia"]) == ("object", True, True)
        assert (duration["kind"], duration["default"]) == ("number", 4)
        assert [one["value"] for one in duration["options"]] == [4, 8, 12]

    def test_an_object_is_media_where_it_holds_a_file(self) -> None:
        found = {one["name"]: one for one in descriptors(CATALOG.media_model("kling-4.0"))}
        assert (found["elements"]["kind"], found["elements"]["isMedia"]) == ("object", True)
        assert (found["multiShots"]["kind"], found["multiShots"]["isMedia"]) == ("object", False)

    def test_a_page_is_no_media(self) -> None:
        found = {one["name"]: one["isMedia"] for one in descriptors(CATALOG.media_model("wan-3.0"))}
        assert (found["fileUrl"], found["linkUrl"]) == (True, False)

    def test_a_deprecated_field_says_so(self) -> None:
        marked = [one["name"] for one in descriptors(CATALOG.media_model("suno")) if one["deprecated"]]
        assert marked == ["voxAudioId"]


class TestJsonSchema:
    def test_seedance(self) -> None:
        schema = json_schema(CATALOG.media_model("seedance-1.5-pro"))
        assert schema["additionalProperties"] is False
        assert "required" not in schema
        assert schema["properties"]["duration"]["enum"] == [4, 8, 12]
        assert "default" not in schema["properties"]["seed"]
        assert schema["properties"]["imageWithRoles"]["maxItems"] == 2
        assert schema["$defs"]["FrameImage"]["required"] == ["url", "role"]

    def test_holds_nothing_written_for_ourselves(self) -> None:
        for model in CATALOG.media_models():
            assert "docs/" not in str(json_schema(model))

    def test_names_the_fields_of_the_descriptors_and_another_name_of_the_images(self) -> None:
        for model in CATALOG.media_models():
            names = [one["name"] for one in descriptors(model)]
            more = [] if model.input_class.aliased_field() is None else ["imageUrls"]
            assert list(json_schema(model)["properties"]) == [*names, *more]
