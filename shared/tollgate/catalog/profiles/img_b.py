"""IMG-B of the contract: images in 15 shapes; the longest strips need a high resolution."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field
from tollgate.catalog.rules import CheckedInput, Rule, at, rule
from tollgate.kit.errors import Problem

# Not shown in the contract; the most that a provider of these models takes (docs/contract.md#img-b).
MAX_REFERENCES = 16
SIZES = (
    "auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3",
    "21:9", "9:21",
)  # fmt: skip
LONG_STRIPS = ("1:3", "3:1")
LARGE = ("2k", "4k")


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


class ImgB(Profile):
    """16 sizes, three resolutions (docs/contract.md#img-b)."""

    rules: ClassVar[tuple[Rule, ...]] = (a_long_strip_has_enough_pixels,)
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

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
