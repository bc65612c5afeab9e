"""VID-H of the contract: videos from text, frames, references or one source video."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text
from tollgate.catalog.media import Length, MediaRule
from tollgate.catalog.profiles.base import ImageUrl, Profile, VideoUrl, field
from tollgate.catalog.rules import CheckedInput, Rule, at, items, not_together, rule
from tollgate.kit.problems import Problem

MAX_WITH_VIDEO = 5
SOURCE_VIDEO = Length(Decimal(3), Decimal(10))


@rule(
    "referenceImageUrls",
    "referenceVideoUrls",
    schema={
        "if": {"required": ["referenceVideoUrls"], "properties": {"referenceVideoUrls": {"minItems": 1}}},
        "then": {"properties": {"referenceImageUrls": {"maxItems": MAX_WITH_VIDEO}}},
    },
)
def a_video_takes_the_room_of_two_images(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "up to 7 (up to 5 with a reference video)" (docs/contract.md#vid-h)."""
    count = len(items(checked, "referenceImageUrls"))
    if "referenceVideoUrls" in checked.given and count > MAX_WITH_VIDEO:
        message = f"With a reference video at most {MAX_WITH_VIDEO} items, has {count}."
        yield Problem(at("referenceImageUrls"), message)


class VidH(Profile):
    """Frames or references, one source video of 3–10 s, four durations (docs/contract.md#vid-h).

    The result of a source video is as long as that video; its price is flat, so no length is billed.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        not_together("imageUrls", "referenceImageUrls", "referenceVideoUrls"),
        a_video_takes_the_room_of_two_images,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("referenceVideoUrls", "video", each=SOURCE_VIDEO, is_source=True),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "duration": "duration"}
    source_videos: ClassVar[tuple[str, ...]] = ("referenceVideoUrls",)

    prompt: Annotated[str, Text(4000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video.", required=True
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, 2)] = field(
        "First and last frame", "The first and optionally the last frame. Not with references."
    )
    referenceImageUrls: Annotated[list[ImageUrl], Many(0, 7)] = field(
        "Reference images", "Up to 7 images, up to 5 with a reference video. Not with imageUrls."
    )
    referenceVideoUrls: Annotated[list[VideoUrl], Many(0, 1)] = field(
        "Source video", "One video of 3 to 10 s. The result has the same length. Not with imageUrls."
    )
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    duration: Annotated[int, Choice((4, 6, 8, 10))] = field(
        "Duration", "Length in seconds. Ignored with a source video.", 8
    )
    resolution: Annotated[str, Choice(("360p", "720p", "1080p", "4k"))] = field(
        "Resolution", "1080p and 4k are upscaled.", "720p"
    )
