"""The Midjourney-style video profile of the contract: an image is set in motion, up to four times."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Whole
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, TaskId, field
from tollgate.catalog.rules import (
    Case,
    Rule,
    has_required_source,
    not_together,
    one_is_given,
    only_together,
    only_when,
)

START_END = ("vid_1.1_i2v_start_end_480", "vid_1.1_i2v_start_end_720")
VIDEO_TYPES = ("vid_1.1_i2v_480", "vid_1.1_i2v_720", *START_END)


def resolution_of(video_type: str) -> str:
    """Return the price tier of a `videoType`: 480p or 720p, from its last part."""
    return f"{video_type.rpartition('_')[2]}p"


class MidjourneyVideo(Profile):
    """Four types, two ways to animate, batches (docs/contract.md#midjourney-video).

    Decided here: a video starts from a given image or from an earlier task's image, chosen by `index`, not
    from both. Only a type with an end has an `endUrl`, and there it is required.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        one_is_given("imageUrls", "parentTaskId"),
        not_together("imageUrls", "parentTaskId"),
        only_together("parentTaskId", "index"),
        has_required_source("videoType", (Case(START_END, ("endUrl",)),), "vid_1.1_i2v_480"),
        has_required_source("animateMode", (Case(("auto",), ("parentTaskId", "index")),), "manual"),
        only_when("endUrl", "videoType", START_END),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "videoType"}
    readings: ClassVar[Mapping[str, Callable[[Any], str]]] = {"resolution": resolution_of}

    prompt: Prompt = field("Prompt", "Description of the motion.")
    imageUrls: Annotated[list[ImageUrl], Many(0, 1)] = field("Image", "The image to animate.")
    parentTaskId: TaskId = field("Earlier task", "The task with the image to animate.")
    index: Annotated[int, Whole(0, 3)] = field("Image", "Number of the image, 0 to 3.")
    videoType: Annotated[str, Choice(VIDEO_TYPES)] = field(
        "Type", "Resolution, and if a last frame is given.", "vid_1.1_i2v_480"
    )
    animateMode: Annotated[str, Choice(("manual", "auto"))] = field(
        "Animate", "auto chooses the motion. It needs parentTaskId and index.", "manual"
    )
    motion: Annotated[str, Choice(("low", "high"))] = field("Motion", "Amount of motion.", "high")
    batchSize: Annotated[int, Choice((1, 2, 4))] = field("Videos", "Number of videos. Each is billed.", 1)
    endUrl: ImageUrl = field("Last frame", "The last frame, for the start_end types.")
