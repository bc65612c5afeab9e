"""VID-L of the contract: one model for text, elements, frames, and videos to transform or to refer to."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.media import Length, MediaRule, ProbeRequest
from tollgate.catalog.profiles.base import MAX_PROMPT, Bool, ImageUrl, Part, Profile, Prompt, VideoUrl, field
from tollgate.catalog.rules import (
    Case,
    CheckedInput,
    Rule,
    Schema,
    at,
    has_required_source,
    items,
    needs_one_of,
    not_together,
    only_when,
    required_unless,
    rule,
)
from tollgate.kit.problems import Problem

WITH_IMAGES = ("elements", "transform", "video_reference")
WITH_SOURCE = ("transform", "video_reference")
MIN_SECONDS, MAX_SECONDS = 3, 30
MAX_VIDEO_ELEMENTS = 3
# The length of an element's video at all providers (docs/providers/muapi.md).
ELEMENT_LENGTH = Length(Decimal(3), Decimal(8))
MAX_MATERIALS, MAX_MATERIALS_WITH_SOURCE = 15, 14
MAX_DESCRIPTION = 1000

MODES = (
    Case(("elements",), one_of=("elements", "imageUrls")),
    Case(("start_end_frame",), ("startFrameUrl",)),
    Case(WITH_SOURCE, ("videoUrl",)),
)


class Element(Part):
    """Someone or something that appears (docs/contract.md#vid-l: `elements`)."""

    description: Annotated[str, Text(MAX_DESCRIPTION, multiline=True)] = field(
        "Description", "Description of the element."
    )
    type: Annotated[str, Choice(("image", "video"))] = field("Type", "Media that show the element.")
    imageUrls: Annotated[list[ImageUrl], Many(1, 4)] = field("Images", "1 to 4 images of the element.")
    videoUrl: VideoUrl = field("Video", "A video of the element.")


class Shot(Part):
    """One scene of several. Its shape is not in the contract: a prompt and a duration."""

    prompt: Annotated[str, Text(MAX_PROMPT, prompt=True, multiline=True)] = field(
        "Prompt", "Description of the scene.", required=True
    )
    duration: Annotated[int, Whole(1, MAX_SECONDS)] = field(
        "Duration", "Length of the scene in seconds.", required=True
    )


@rule("multiShots")
def scenes_fit_in_a_video(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "2-6 scenes totalling 3-30 s" (docs/contract.md#vid-l)."""
    total = sum(shot["duration"] for shot in items(checked, "multiShots"))
    if "multiShots" in checked.given and not MIN_SECONDS <= total <= MAX_SECONDS:
        allowed = f"{MIN_SECONDS} to {MAX_SECONDS} s in total"
        yield Problem(at("multiShots"), f"Must be {allowed}, is {total} s.", allowed)


@rule("multiShots", "videoMode", schema={"if": {"required": ["multiShots"]}, "then": {
    "properties": {"videoMode": {"const": "elements"}}}})  # fmt: skip
def scenes_are_written_or_cast(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "only text-to-video and elements modes" (docs/contract.md#vid-l)."""
    if "multiShots" in checked.given and checked.values.get("videoMode") not in (None, "elements"):
        yield Problem(at("multiShots"), "Only with videoMode elements, or without videoMode.")


@rule("videoUrl", "aspectRatio", schema={"if": {"required": ["videoUrl"]}, "then": {
    "properties": {"aspectRatio": {"const": "auto"}}}})  # fmt: skip
def a_source_video_sets_the_shape(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "must be auto with a source video" (docs/contract.md#vid-l)."""
    if "videoUrl" in checked.given and checked.values["aspectRatio"] != "auto":
        yield Problem(at("aspectRatio"), "Must be auto with a source video.", ["auto"])


@rule("startImageIndex", "imageUrls")
def the_start_image_is_one_of_the_images(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse an index beyond the given images (a missing `imageUrls` has its own rule)."""
    count = len(items(checked, "imageUrls"))
    if count and checked.values.get("startImageIndex", 1) > count:
        yield Problem(at("startImageIndex"), f"There are only {count} images in imageUrls.", f"1 to {count}")


def _every_element(schema: Schema) -> Schema:
    return {"properties": {"elements": {"items": schema}}}


def _if_type(value: str, needed: str) -> Schema:
    typed = {"required": ["type"], "properties": {"type": {"const": value}}}
    return {"if": typed, "then": {"required": [needed]}}


SHOWN = [
    # Exactly one of them.
    {"oneOf": [{"required": ["imageUrls"]}, {"required": ["videoUrl"]}]},
    _if_type("image", "imageUrls"),
    _if_type("video", "videoUrl"),
]


@rule("elements", schema=_every_element({"allOf": SHOWN}))
def each_element_is_shown(checked: CheckedInput) -> Iterator[Problem]:
    """Require the media that an element's type names or, without a type, images or a video; never both."""
    for index, element in enumerate(items(checked, "elements")):
        shown_by = {"image": ("imageUrls",), "video": ("videoUrl",)}
        needed = shown_by.get(element.get("type", ""), ("imageUrls", "videoUrl"))
        if not any(name in element for name in needed):
            yield Problem(at("elements", index), f"Needs {' or '.join(needed)}.", list(needed))
        elif "imageUrls" in element and "videoUrl" in element:
            yield Problem(at("elements", index, "videoUrl"), "Cannot be combined with imageUrls.")


@rule("elements", "videoUrl", schema={"if": {"required": ["videoUrl"]}, "then": _every_element(
    {"not": {"required": ["videoUrl"]}})})  # fmt: skip
def a_source_video_is_the_only_video(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse an element's video beside a source video (docs/contract.md#vid-l: `elements`)."""
    if "videoUrl" not in checked.given:
        return
    for index, element in enumerate(items(checked, "elements")):
        if "videoUrl" in element:
            yield Problem(at("elements", index, "videoUrl"), "Cannot be combined with a source video.")


@rule(
    "elements",
    schema={
        "properties": {
            "elements": {
                "contains": {"required": ["videoUrl"]},
                "minContains": 0,
                "maxContains": MAX_VIDEO_ELEMENTS,
            }
        }
    },
)
def few_elements_are_videos(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "max 3 video elements" (docs/contract.md#vid-l)."""
    count = sum("videoUrl" in element for element in items(checked, "elements"))
    if count > MAX_VIDEO_ELEMENTS:
        yield Problem(at("elements"), f"At most {MAX_VIDEO_ELEMENTS} may have a video, {count} have.")


@rule("elements", "imageUrls", "videoUrl")
def materials_are_countable(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "images+elements at most 15, or 14 with source video" (docs/contract.md#vid-l)."""
    most = MAX_MATERIALS_WITH_SOURCE if "videoUrl" in checked.given else MAX_MATERIALS
    count = len(items(checked, "elements")) + len(items(checked, "imageUrls"))
    if count > most:
        yield Problem(at("elements"), f"Together with imageUrls at most {most} items, has {count}.")


class _ElementVideos(MediaRule):
    """The rule for the videos of elements, which are inside an array of objects."""

    def requests(self, values: Mapping[str, Any]) -> Iterator[ProbeRequest]:
        """Return the videos to probe for an input's `values`."""
        for index, element in enumerate(values.get(self.field, [])):
            if "videoUrl" in element and self.applies(values):
                yield ProbeRequest(element["videoUrl"], at(self.field, index, "videoUrl"), self.kind)


def _in_mode(mode: str) -> Any:
    return lambda values: values.get("videoMode") == mode


class VidL(Profile):
    """Five modes, 3–30 s, elements, keyframes, scenes (docs/contract.md#vid-l).

    Decided here: the aspect ratio is `auto` unless given, the one value that every mode takes; elements
    are for the modes that images are for; a mode needs something to work on.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", "multiShots"),
        not_together("multiShots", "prompt"),
        has_required_source("videoMode", MODES),
        only_when("imageUrls", "videoMode", WITH_IMAGES),
        only_when("elements", "videoMode", WITH_IMAGES),
        only_when("videoUrl", "videoMode", WITH_SOURCE),
        only_when("startFrameUrl", "videoMode", ("start_end_frame",)),
        only_when("keyframeUrls", "videoMode", ("start_end_frame",)),
        only_when("endFrameUrl", "videoMode", ("start_end_frame",)),
        needs_one_of("startImageIndex", "imageUrls"),
        scenes_fit_in_a_video,
        scenes_are_written_or_cast,
        a_source_video_sets_the_shape,
        the_start_image_is_one_of_the_images,
        each_element_is_shown,
        few_elements_are_videos,
        a_source_video_is_the_only_video,
        materials_are_countable,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule(
            "videoUrl",
            "video",
            applies=_in_mode("transform"),
            each=Length(Decimal(3), Decimal(10)),
            min_short_side=700,
            is_source=True,
        ),
        MediaRule(
            "videoUrl",
            "video",
            applies=_in_mode("video_reference"),
            each=Length(Decimal(3), Decimal(30)),
            is_source=True,
        ),
        _ElementVideos("elements", "video", each=ELEMENT_LENGTH, is_source=True),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}
    source_videos: ClassVar[tuple[str, ...]] = ("videoUrl", "elements")

    prompt: Prompt = field("Prompt", "A description of the video. Required unless there are scenes.")
    videoMode: Annotated[str, Choice(("elements", "start_end_frame", "transform", "video_reference"))] = (
        field("Mode", "The source of the video. Without it, the source is only the text.")
    )
    resolution: Annotated[str, Choice(("720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "720p"
    )
    duration: Annotated[int, Whole(MIN_SECONDS, MAX_SECONDS)] = field(
        "Duration", "Length in seconds. Ignored with a source video and with scenes.", 3
    )
    aspectRatio: Annotated[str, Choice(("auto", "16:9", "9:16", "1:1", "21:9"))] = field(
        "Aspect ratio", "Ratio of width to height. Must be auto with a source video.", "auto"
    )
    generateAudio: Bool = field("Sound", "Generate sound for the video.", default=True)
    keepAudio: Bool = field("Keep sound", "Keep the sound of the source video.", default=True)
    imageUrls: Annotated[list[ImageUrl], Many(0, 10)] = field(
        "Images", "Up to 10 images, in the modes elements, transform and video_reference."
    )
    startImageIndex: Annotated[int, Whole(1, 10)] = field(
        "Start image", "Number of the image in imageUrls that starts the video, from 1."
    )
    elements: Annotated[list[Element], Many(0, 7)] = field(
        "Elements", "Up to 7 people or things in the video, at most 3 of them with a video."
    )
    startFrameUrl: ImageUrl = field("First frame", "Required in mode start_end_frame.")
    keyframeUrls: Annotated[list[ImageUrl], Many(0, 8)] = field(
        "Middle frames", "Up to 8 frames between the first and the last."
    )
    endFrameUrl: ImageUrl = field("Last frame", "The last frame, in mode start_end_frame.")
    videoUrl: VideoUrl = field(
        "Source video", "transform: 3 to 10 s, short side at least 700 pixels. video_reference: 3 to 30 s."
    )
    multiShots: Annotated[list[Shot], Many(2, 6)] = field(
        "Scenes", "2 to 6 scenes, together 3 to 30 s, each with a prompt. Not with prompt."
    )

    @classmethod
    def has_source_video(cls, values: Mapping[str, Any]) -> bool:
        """Return whether an input has a source video or an element with a video."""
        return "videoUrl" in values or any("videoUrl" in one for one in values.get("elements", []))

    @classmethod
    def with_length(cls, values: Mapping[str, Any], source_s: Decimal) -> dict[str, Any]:
        """Return the values with the source video's length as the duration, in whole seconds.

        Rounded down, because providers charge whole seconds and the customer pays exact seconds.
        """
        if "videoUrl" not in values:
            return dict(values)
        return {**values, "duration": min(max(int(source_s), MIN_SECONDS), MAX_SECONDS)}

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return the length of the source video, else of all scenes, else `duration`."""
        if "videoUrl" in values:
            return source_s
        scenes = sum(shot["duration"] for shot in values.get("multiShots", []))
        return Decimal(scenes or values["duration"])
