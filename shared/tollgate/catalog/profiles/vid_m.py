"""VID-M of the contract: videos of up to 15 s from text, reference images and sound."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Whole
from tollgate.catalog.profiles.base import AudioUrl, ImageUrl, Profile, Prompt, Seed, field
from tollgate.catalog.rules import CheckedInput, Rule, at, rule
from tollgate.kit.problems import Problem

MAX_SECONDS_AT_1080P = 10


@rule(
    "duration",
    "resolution",
    schema={
        "if": {"required": ["resolution"], "properties": {"resolution": {"const": "1080p"}}},
        "then": {"properties": {"duration": {"maximum": MAX_SECONDS_AT_1080P}}},
    },
)
def a_large_video_is_short(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "at most 10 at 1080p" (docs/contract.md#vid-m)."""
    values = checked.values
    if values["resolution"] == "1080p" and values["duration"] > MAX_SECONDS_AT_1080P:
        allowed = f"at most {MAX_SECONDS_AT_1080P}"
        yield Problem(at("duration"), f"Must be {allowed} at 1080p.", allowed)


class VidM(Profile):
    """1–15 s, two shapes, nine images, three sounds (docs/contract.md#vid-m)."""

    rules: ClassVar[tuple[Rule, ...]] = (a_large_video_is_short,)
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, 9)] = field(
        "Reference images", "Up to 9 images. The first 5 are free, each additional image is billed."
    )
    audioUrls: Annotated[list[AudioUrl], Many(0, 3)] = field(
        "Reference sound", "Up to 3 files, free of charge."
    )
    resolution: Annotated[str, Choice(("480p", "768p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    duration: Annotated[int, Whole(1, 15)] = field("Duration", "Length in seconds. At most 10 at 1080p.", 5)
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
