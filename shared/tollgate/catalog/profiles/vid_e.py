"""VID-E of the contract: videos of up to 30 s from text and many references, and extensions of videos."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Whole
from tollgate.catalog.media import Length, MediaRule
from tollgate.catalog.profiles.base import AudioUrl, Bool, ImageUrl, Profile, Prompt, Seed, VideoUrl, field
from tollgate.catalog.profiles.frames import (
    FRAMES,
    REFERENCE,
    SOME_IMAGE_IS_A_FRAME,
    SOME_IMAGE_IS_A_REFERENCE,
    RoleImage,
    WebSearch,
    a_last_frame_follows_a_first,
    each_frame_has_one_image,
)
from tollgate.catalog.rules import Case, CheckedInput, Rule, at, given, has_required_source, items, rule
from tollgate.kit.problems import Problem

MAX_IMAGES = 30
EACH_VIDEO = Length(Decimal(2), Decimal(30))
ALL_VIDEOS = Length(high=Decimal(30))
ALL_AUDIO = Length(high=Decimal(30))


@rule("imageUrls", "imageWithRoles")
def images_are_countable(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "`imageUrls` max 30 across both image fields" (docs/contract.md#vid-e)."""
    count = len(items(checked, "imageUrls")) + len(items(checked, "imageWithRoles"))
    if count > MAX_IMAGES:
        message = f"Together with imageWithRoles at most {MAX_IMAGES} images, has {count}."
        yield Problem(at("imageUrls"), message)


EXTEND = {
    "required": ["omniReferenceTaskType"],
    "properties": {"omniReferenceTaskType": {"const": "extend"}},
}


@rule(
    "size",
    "imageWithRoles",
    "omniReferenceTaskType",
    schema={
        "if": {"anyOf": [SOME_IMAGE_IS_A_FRAME, EXTEND]},
        "then": {"properties": {"size": {"const": "adaptive"}}},
    },
)
def a_given_image_sets_the_shape(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "first/last-frame and extend jobs require adaptive" (docs/contract.md#vid-e)."""
    values = checked.values
    framed = any(image["role"] in FRAMES for image in items(checked, "imageWithRoles"))
    if values["size"] != "adaptive" and (framed or values["omniReferenceTaskType"] == "extend"):
        yield Problem(at("size"), "Must be adaptive with a first or last frame, and to extend.", ["adaptive"])


REFERENCES = ("imageUrls", "videoUrls", "audioUrls")


@rule(
    "imageWithRoles",
    *REFERENCES,
    schema={
        "if": SOME_IMAGE_IS_A_FRAME,
        "then": {"not": {"anyOf": [SOME_IMAGE_IS_A_REFERENCE, *map(given, REFERENCES)]}},
    },
)
def frames_and_references_are_two_jobs(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse a first or last frame beside any reference: no live route takes both (decided here)."""
    roles = {image["role"] for image in items(checked, "imageWithRoles")}
    if roles.isdisjoint(FRAMES):
        return
    if REFERENCE in roles or not checked.given.isdisjoint(REFERENCES):
        yield Problem(at("imageWithRoles"), "Frames cannot be combined with references.")


class VidE(Profile):
    """4–30 s, seven sizes, three resolutions, 30 images, ten videos, ten sounds (docs/contract.md#vid-e).

    Decided here: to extend needs the video to extend; frames and references are not combined, as in VID-D
    and VID-P.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        images_are_countable,
        a_given_image_sets_the_shape,
        has_required_source("omniReferenceTaskType", (Case(("extend",), ("videoUrls",)),), "auto"),
        frames_and_references_are_two_jobs,
        each_frame_has_one_image,
        a_last_frame_follows_a_first,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("videoUrls", "video", each=EACH_VIDEO, total=ALL_VIDEOS, is_source=True),
        MediaRule("audioUrls", "audio", total=ALL_AUDIO),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "audio": "generateAudio"}
    source_videos: ClassVar[tuple[str, ...]] = ("videoUrls",)

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    duration: Annotated[int, Whole(4, 30)] = field("Duration", "Length in seconds.", 5)
    size: Annotated[str, Choice(("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"))] = field(
        "Aspect ratio", "Ratio of width to height. Must be adaptive with a first or last frame.", "adaptive"
    )
    resolution: Annotated[str, Choice(("480p", "720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    generateAudio: Bool = field("Sound", "Generate sound for the video.", default=True)
    nsfwCheck: Bool = field("Content check", "Have the provider check the content first.", default=False)
    watermark: Bool = field("Watermark", "Add the vendor's watermark to the video.", default=False)
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
    outputFormat: Annotated[str, Choice(("mp4", "mov"))] = field(
        "File type", "File type of the result.", "mp4"
    )
    omniReferenceTaskType: Annotated[str, Choice(("auto", "reference", "extend"))] = field(
        "Task", "The use of the reference media: as references, or to extend the video.", "auto"
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, MAX_IMAGES)] = field(
        "Reference images", "Up to 30 images, including the images in imageWithRoles."
    )
    imageWithRoles: Annotated[list[RoleImage], Many(0, MAX_IMAGES)] = field(
        "Images with roles", "Images as first frame, last frame or reference."
    )
    videoUrls: Annotated[list[VideoUrl], Many(0, 10)] = field(
        "Reference videos", "Up to 10 videos of 2 to 30 s, 30 s together."
    )
    audioUrls: Annotated[list[AudioUrl], Many(0, 10)] = field(
        "Reference sound", "Up to 10 files, 30 s together."
    )
    returnLastFrame: Bool = field(
        "Return last frame", "Also return the last frame as an image.", default=False
    )
    tools: Annotated[list[WebSearch], Many(0, 1)] = field("Tools", "Tools for the model: a web search.")
