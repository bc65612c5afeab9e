"""VID-N of the contract: videos from text, an image, a transition of two frames, references; extensions."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Seed, TaskId, field
from tollgate.catalog.rules import (
    CheckedInput,
    Rule,
    at,
    at_most_one_of,
    given,
    only_together,
    rule,
)
from tollgate.kit.problems import Problem

TRANSITION = ("firstFrameImage", "lastFrameImage")
TRANSITION_SECONDS = (5, 8)
NOT_TEXT_OR_IMAGE = (*TRANSITION, "imgReferences", "extendFromTaskId")
# Not shown in the contract, which uses the first one only.
MAX_IMAGES = 10


@rule(
    "duration",
    *TRANSITION,
    schema={
        "if": given("firstFrameImage"),
        "then": {"properties": {"duration": {"enum": list(TRANSITION_SECONDS)}}},
    },
)
def a_transition_has_a_set_length(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "transition mode only 5 or 8" (docs/contract.md#vid-n)."""
    framed = not checked.given.isdisjoint(TRANSITION)
    if framed and checked.values["duration"] not in TRANSITION_SECONDS:
        yield Problem(at("duration"), "Must be 5 or 8 for a transition.", list(TRANSITION_SECONDS))


@rule(
    "generateMultiClipSwitch",
    *NOT_TEXT_OR_IMAGE,
    schema={
        "if": {"anyOf": [given(name) for name in NOT_TEXT_OR_IMAGE]},
        "then": {"properties": {"generateMultiClipSwitch": {"const": False}}},
    },
)
def shots_are_cut_from_text_or_an_image(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "text-to-video and image-to-video only" (docs/contract.md#vid-n)."""
    if checked.values["generateMultiClipSwitch"] and not checked.given.isdisjoint(NOT_TEXT_OR_IMAGE):
        yield Problem(at("generateMultiClipSwitch"), "Only from text or from imageUrls.", [False])


class VidN(Profile):
    """1–15 s, four resolutions, eight sizes, five jobs (docs/contract.md#vid-n).

    Decided here: an input asks for one job only, because two cannot be done at once.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        only_together(*TRANSITION),
        at_most_one_of(("imageUrls",), TRANSITION, ("imgReferences",), ("extendFromTaskId",)),
        a_transition_has_a_set_length,
        shots_are_cut_from_text_or_an_image,
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "audio": "audio"}

    prompt: Annotated[str, Text(5000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video.", required=True
    )
    resolution: Annotated[str, Choice(("360p", "540p", "720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "360p"
    )
    duration: Annotated[int, Whole(1, 15)] = field(
        "Duration", "Length in seconds. A transition has 5 or 8.", 5
    )
    size: Annotated[str, Choice(("16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9"))] = field(
        "Aspect ratio", "Shape of a video that is generated from text or references.", "16:9"
    )
    seed: Seed = field("Seed", "The same seed and input return a similar result.", 0)
    negativePrompt: Annotated[str, Text(2048, multiline=True)] = field(
        "Negative prompt", "Things that must not appear."
    )
    audio: Bool = field("Sound", "Generate sound for the video.", default=False)
    watermark: Bool = field("Watermark", "Add the vendor's watermark to the video.", default=False)
    motionMode: Annotated[str, Choice(("normal",))] = field("Motion", "Speed of the motion.", "normal")
    generateMultiClipSwitch: Bool = field(
        "Several shots", "Use several shots. Only for videos from text or an image.", default=False
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, MAX_IMAGES)] = field(
        "Image", "The image to start from. Only the first image is used."
    )
    firstFrameImage: ImageUrl = field("First frame", "Start of a transition, with lastFrameImage.")
    lastFrameImage: ImageUrl = field("Last frame", "End of a transition, with firstFrameImage.")
    imgReferences: Annotated[list[ImageUrl], Many(1, 7)] = field(
        "Reference images", "1 to 7 images of people or things in the video."
    )
    extendFromTaskId: TaskId = field("Video to extend", "The id of an earlier task of this model.")
