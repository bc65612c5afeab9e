"""IMG-B of the contract: images in 15 shapes; the longest strips need a high resolution."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Whole
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field
from tollgate.catalog.rules import CheckedInput, Rule, at, rule
from tollgate.kit.problems import Problem

# Not shown in the contract; the most that a provider of these models takes (docs/contract.md#img-b).
MAX_REFERENCES = 16
SIZES = (
    "auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3",
    "21:9", "9:21",
)  # fmt: skip
LONG_STRIPS = ("1:3", "3:1")
LARGE = ("2k", "4k")
AUTO, MEDIUM = "auto", "medium"
SQUARE, OTHER = "1:1", "other"
COMPRESSED = ("jpeg", "webp")


@rule(
    "size",
    "resolution",
    schema={
        "if": {"required": ["size"], "properties": {"size": {"enum": list(LONG_STRIPS)}}},
        "then": {"required": ["resolution"], "properties": {"resolution": {"enum": list(LARGE)}}},
    },
)
def a_long_strip_has_enough_pixels(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "1:3 and 3:1 require 2k or 4k" (docs/contract.md#img-b)."""
    values = checked.values
    if values["size"] in LONG_STRIPS and values["resolution"] not in LARGE:
        yield Problem(at("resolution"), f"Must be 2k or 4k for size {values['size']}.", list(LARGE))


@rule(
    "outputCompression",
    "outputFormat",
    schema={
        "if": {"required": ["outputCompression"]},
        "then": {"required": ["outputFormat"], "properties": {"outputFormat": {"enum": list(COMPRESSED)}}},
    },
)
def only_some_file_types_are_compressed(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse a compression of PNG files, which OpenAI documents for JPEG and WebP only."""
    values = checked.values
    if "outputCompression" in values and values.get("outputFormat") not in COMPRESSED:
        yield Problem(at("outputFormat"), "Must be jpeg or webp with a compression.", list(COMPRESSED))


_NOT_AUTO = {"not": {"const": AUTO}}


@rule(
    "urls",
    "size",
    "resolution",
    "quality",
    "moderation",
    "outputFormat",
    "outputCompression",
    schema={
        "if": {
            "anyOf": [
                {"required": ["outputFormat"]},
                {"required": ["outputCompression"]},
                {"required": ["quality"], "properties": {"quality": _NOT_AUTO}},
                {"required": ["moderation"], "properties": {"moderation": _NOT_AUTO}},
            ]
        },
        "then": {
            "properties": {"urls": {"maxItems": 0}},
            "not": {
                "required": ["size", "resolution"],
                "properties": {"size": {"const": AUTO}, "resolution": {"enum": list(LARGE)}},
            },
        },
    },
)
def options_are_for_images_from_text(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse options of the result for edits, and for large images of the size auto.

    The providers with these options bill the tokens of given images, whose number they do not publish.
    """
    values = checked.values
    options = [name for name in ("quality", "moderation") if values.get(name, AUTO) != AUTO]
    options += [name for name in ("outputFormat", "outputCompression") if name in values]
    for name in options:
        if values.get("urls"):
            yield Problem(at(name), "Cannot be combined with given images.")
        elif values["size"] == AUTO and values["resolution"] in LARGE:
            yield Problem(at(name), f"Cannot be combined with size auto in {values['resolution']}.")


def _priced_quality(value: str) -> str:
    return MEDIUM if value == AUTO else value


def _priced_size(value: str) -> str:
    return value if value == SQUARE else OTHER


class ImgB(Profile):
    """16 sizes, three resolutions, OpenAI's options of a result (docs/contract.md#img-b)."""

    rules: ClassVar[tuple[Rule, ...]] = (
        a_long_strip_has_enough_pixels,
        only_some_file_types_are_compressed,
        options_are_for_images_from_text,
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {
        "resolution": "resolution",
        "quality": "quality",
        "size": "size",
    }
    readings: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        "quality": _priced_quality,
        "size": _priced_size,
    }

    prompt: Prompt = field(
        "Prompt", "A description of the image, or of the changes to the given images.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(0, MAX_REFERENCES)] = field(
        "Reference images", f"Up to {MAX_REFERENCES} images to use as a reference."
    )
    size: Annotated[str, Choice(SIZES)] = field(
        "Aspect ratio", "Ratio of width to height. 1:3 and 3:1 need a resolution of 2k or 4k.", "1:1"
    )
    resolution: Annotated[str, Choice(("1k", "2k", "4k"))] = field(
        "Resolution", "The price depends on the resolution.", "1k"
    )
    quality: Annotated[str, Choice((AUTO, "low", MEDIUM, "high"))] = field(
        "Quality", "More details take more time. `auto` has the price of `medium`.", AUTO
    )
    outputFormat: Annotated[str, Choice(("png", *COMPRESSED))] = field(
        "File type", "File type of the result."
    )
    outputCompression: Annotated[int, Whole(0, 100)] = field(
        "Compression", "Quality of a JPEG or WebP file in percent. Needs `outputFormat`."
    )
    moderation: Annotated[str, Choice((AUTO, "low"))] = field(
        "Moderation", "How strictly the vendor checks the content."
    )
