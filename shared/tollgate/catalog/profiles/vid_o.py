"""VID-O of the contract: one profile for four models: from text, from images, from references, edits."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.media import Length, MediaRule
from tollgate.catalog.profiles.base import AudioUrl, Bool, ImageUrl, Profile, Prompt, Seed, VideoUrl, field
from tollgate.catalog.rules import (
    CheckedInput,
    Rule,
    Schema,
    at,
    at_most_one_of,
    given,
    needs_one_of,
    not_together,
    required_unless,
    rule,
)
from tollgate.kit.problems import Problem

FROM_IMAGES = ("imageUrls", "continueVideoUrl")
FROM_REFERENCES = ("referenceImageUrls", "referenceVideoUrls")
EDIT = ("editVideoUrl", "referenceImageUrl")
# The duration of an edit that is as long as its video.
AS_THE_SOURCE = 0
# Not shown in the contract.
MAX_REFERENCES = 5

Durations = tuple[int, ...]
OF_TEXT: Durations = (5, 10, 15)
OF_IMAGES: Durations = tuple(range(2, 16))
OF_REFERENCES: Durations = tuple(range(2, 11))
OF_EDITS: Durations = (AS_THE_SOURCE, *range(2, 11))


def _lasting(durations: Durations) -> Schema:
    return {"properties": {"duration": {"enum": list(durations)}}}


def _if_any(fields: tuple[str, ...], then: Schema, otherwise: Schema) -> Schema:
    return {"if": {"anyOf": [given(name) for name in fields]}, "then": then, "else": otherwise}


@rule(
    "duration",
    *FROM_IMAGES,
    *FROM_REFERENCES,
    *EDIT,
    schema=_if_any(
        ("editVideoUrl",),
        _lasting(OF_EDITS),
        _if_any(
            FROM_REFERENCES,
            _lasting(OF_REFERENCES),
            _if_any(FROM_IMAGES, _lasting(OF_IMAGES), _lasting(OF_TEXT)),
        ),
    ),
)
def duration_fits_the_job(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to the durations of each mode (docs/contract.md#vid-o)."""
    allowed = _durations(checked)
    if checked.values["duration"] not in allowed:
        shown = ", ".join(map(str, allowed))
        yield Problem(at("duration"), f"Must be one of: {shown} for this job.", list(allowed))


def _durations(checked: CheckedInput) -> Durations:
    if "editVideoUrl" in checked.given:
        return OF_EDITS
    if not checked.given.isdisjoint(FROM_REFERENCES):
        return OF_REFERENCES
    return OF_TEXT if checked.given.isdisjoint(FROM_IMAGES) else OF_IMAGES


def _keeps_its_length(values: Mapping[str, Any]) -> bool:
    return bool(values["duration"] == AS_THE_SOURCE)


class VidO(Profile):
    """Durations by mode, five sizes, two resolutions (docs/contract.md#vid-o).

    Decided here: a prompt may be left out only where media shows what to make; an input asks for one job;
    `duration` is 5 unless given, which every job has; an edit that keeps the length of its video (0) takes
    a video of 2–10 s, the lengths that an edit can have.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", *FROM_IMAGES, *FROM_REFERENCES, "editVideoUrl"),
        at_most_one_of(FROM_IMAGES, FROM_REFERENCES, EDIT),
        not_together("continueVideoUrl", "imageUrls", "audioUrl"),
        needs_one_of("referenceImageUrl", "editVideoUrl"),
        duration_fits_the_job,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("continueVideoUrl", "video", each=Length(Decimal(2), Decimal(10))),
        MediaRule(
            "editVideoUrl",
            "video",
            applies=_keeps_its_length,
            each=Length(Decimal(2), Decimal(10)),
            is_source=True,
        ),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "A description of the video. Required without media.")
    imageUrls: Annotated[list[ImageUrl], Many(0, 2)] = field(
        "Frames", "The first and optionally the last frame."
    )
    referenceImageUrls: Annotated[list[ImageUrl], Many(0, MAX_REFERENCES)] = field(
        "Reference images", "Images of the people or things that appear."
    )
    referenceVideoUrls: Annotated[list[VideoUrl], Many(0, MAX_REFERENCES)] = field(
        "Reference videos", "Videos of the people or things that appear."
    )
    audioUrl: AudioUrl = field("Sound", "Sound that the video follows. Not with continueVideoUrl.")
    continueVideoUrl: VideoUrl = field(
        "Video to continue", "A video of 2 to 10 s. Not with imageUrls or audioUrl."
    )
    editVideoUrl: VideoUrl = field("Video to edit", "The video that the prompt changes.")
    referenceImageUrl: ImageUrl = field("Image for the edit", "An image that the edit refers to.")
    size: Annotated[str, Choice(("16:9", "9:16", "1:1", "4:3", "3:4"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    resolution: Annotated[str, Choice(("720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "720p"
    )
    duration: Annotated[int, Whole(0, 15)] = field(
        "Duration", "Length in seconds. 0 keeps the length of a video to edit.", 5
    )
    multiShots: Bool = field("Several shots", "Use several shots.")
    audioSetting: Annotated[str, Text(50)] = field("Sound of an edit", "The treatment of the video's sound.")
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
    enableSafetyChecker: Bool = field(
        "Safety checker", "Refuse content that the provider's checker finds unsafe."
    )

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return `duration`, or the length of the video that an edit keeps."""
        return source_s if _keeps_its_length(values) else Decimal(values["duration"])
