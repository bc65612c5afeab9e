"""VID-D of the contract: videos of up to 15 s from text and reference images, videos and sound."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.media import Length, MediaRule
from tollgate.catalog.profiles.base import AudioUrl, Bool, ImageUrl, Profile, Seed, VideoUrl, field
from tollgate.catalog.profiles.frames import (
    FrameImage,
    WebSearch,
    a_last_frame_follows_a_first,
    each_frame_has_one_image,
)
from tollgate.catalog.rules import Rule, needs_one_of, not_together, required_unless

REFERENCE_VIDEO = Length(Decimal("1.8"), Decimal("15.2"), open=True)
REFERENCE_AUDIO = Length(high=Decimal(15))


class VidD(Profile):
    """4–15 s, seven sizes, four resolutions, nine images, three videos (docs/contract.md#vid-d)."""

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", "imageUrls", "imageWithRoles", "videoUrls"),
        not_together("imageWithRoles", "imageUrls", "videoUrls", "audioUrls"),
        needs_one_of("audioUrls", "imageUrls", "videoUrls"),
        each_frame_has_one_image,
        a_last_frame_follows_a_first,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("videoUrls", "video", total=REFERENCE_VIDEO, is_source=True),
        MediaRule("audioUrls", "audio", total=REFERENCE_AUDIO),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "audio": "generateAudio"}
    source_videos: ClassVar[tuple[str, ...]] = ("videoUrls",)

    prompt: Annotated[str, Text(4000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video. Required without reference images or videos."
    )
    duration: Annotated[int, Whole(4, 15)] = field("Duration", "Length in seconds.", 5)
    size: Annotated[str, Choice(("adaptive", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    resolution: Annotated[str, Choice(("480p", "720p", "1080p", "4k"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
    generateAudio: Bool = field("Sound", "Generate sound for the video.", default=True)
    nsfwCheck: Bool = field("Content check", "Have the provider check the content first.", default=False)
    returnLastFrame: Bool = field(
        "Return last frame", "Also return the last frame as an image.", default=False
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, 9)] = field(
        "Reference images", "Up to 9 images. Not with imageWithRoles."
    )
    imageWithRoles: Annotated[list[FrameImage], Many(0, 2)] = field(
        "First and last frame", "Up to 2 images, each with its role. Not with other reference media."
    )
    videoUrls: Annotated[list[VideoUrl], Many(0, 3)] = field(
        "Reference videos", "Up to 3 videos, together more than 1.8 s and less than 15.2 s."
    )
    audioUrls: Annotated[list[AudioUrl], Many(0, 3)] = field(
        "Reference sound", "Up to 3 files, 15 s together. Needs imageUrls or videoUrls."
    )
    tools: Annotated[list[WebSearch], Many(0, 1)] = field("Tools", "Tools for the model: a web search.")
