"""VID-P of the contract: videos of up to 30 s from text, frames, references, a document or a page."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Url, Whole
from tollgate.catalog.media import BYTES_PER_MB, Length, MediaRule
from tollgate.catalog.profiles.base import AudioUrl, Bool, ImageUrl, Profile, VideoUrl, field
from tollgate.catalog.profiles.frames import (
    FRAMES,
    REFERENCE,
    SOME_IMAGE_IS_A_FRAME,
    SOME_IMAGE_IS_A_REFERENCE,
    OptionalRoleImage,
    a_last_frame_follows_a_first,
    each_frame_has_one_image,
)
from tollgate.catalog.rules import (
    CheckedInput,
    Rule,
    Schema,
    at,
    given,
    items,
    not_together,
    required_unless,
    rule,
)
from tollgate.kit.problems import Problem

MAX_SEED = 2_147_483_647
MAX_FRAMES = 2
MAX_DOCUMENT_MB, MAX_DOCUMENT_PAGES = 100, 50


def _type_is(value: str) -> Schema:
    return {"required": ["generationType"], "properties": {"generationType": {"const": value}}}


REFERENCES = [SOME_IMAGE_IS_A_REFERENCE, given("videoUrls")]
NO_MIXTURE = [
    {"if": SOME_IMAGE_IS_A_FRAME, "then": {"not": {"anyOf": [*REFERENCES, _type_is("reference")]}}},
    {"if": _type_is("frame"), "then": {"not": {"anyOf": REFERENCES}}},
    {"not": {"allOf": [SOME_IMAGE_IS_A_FRAME, given("imageUrls"), {"not": _type_is("frame")}]}},
]


@rule("imageUrls", "imageWithRoles", "videoUrls", "generationType", schema={"allOf": NO_MIXTURE})
def frames_and_references_are_two_jobs(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "frame and reference families cannot be mixed" (docs/contract.md#vid-p).

    A role names its family, and a video is a reference. An image without a role has the family of
    `generationType`, or is a reference if that is not given.
    """
    roles = {image.get("role") for image in items(checked, "imageWithRoles")}
    unnamed = "imageUrls" in checked.given or None in roles
    family = checked.values.get("generationType") or ("reference" if unnamed else None)
    frames = not roles.isdisjoint(FRAMES) or (unnamed and family == "frame")
    references = REFERENCE in roles or "videoUrls" in checked.given or (unnamed and family == "reference")
    if frames and references:
        yield Problem(at(_mixed_field(checked)), "Frames and references cannot be mixed.")
    elif (frames and family == "reference") or (references and family == "frame"):
        yield Problem(at("generationType"), f"The given media cannot be used as {family}.")


@rule("imageUrls", "imageWithRoles", "generationType")
def a_video_has_two_ends(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse a third image for `frame`: a video has a first and a last frame."""
    count = len(items(checked, "imageUrls")) + len(items(checked, "imageWithRoles"))
    if checked.values.get("generationType") == "frame" and count > MAX_FRAMES:
        field_name = "imageUrls" if "imageUrls" in checked.given else "imageWithRoles"
        message = f"generationType frame takes at most {MAX_FRAMES} images, has {count}."
        yield Problem(at(field_name), message)


def _mixed_field(checked: CheckedInput) -> str:
    return "imageWithRoles" if "imageWithRoles" in checked.given else "generationType"


class VidP(Profile):
    """2–30 s, six sizes, three resolutions, ten images, five videos, five sounds (docs/contract.md#vid-p).

    Decided here: a prompt may be omitted only if other input describes the video. A document is a PDF or an
    office file. If an office file has no page count, the provider checks it.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", "imageUrls", "imageWithRoles", "videoUrls", "fileUrl", "linkUrl"),
        not_together("fileUrl", "linkUrl"),
        frames_and_references_are_two_jobs,
        a_video_has_two_ends,
        each_frame_has_one_image,
        a_last_frame_follows_a_first,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule(
            "videoUrls",
            "video",
            each=Length(Decimal(1), Decimal(15)),
            total=Length(high=Decimal(15)),
            input_and_output=Length(high=Decimal(30)),
            is_source=True,
        ),
        MediaRule(
            "fileUrl",
            "document",
            containers=("pdf", "docx", "pptx", "xlsx"),
            max_bytes=MAX_DOCUMENT_MB * BYTES_PER_MB,
            max_pages=MAX_DOCUMENT_PAGES,
        ),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "audio": "audio"}
    source_videos: ClassVar[tuple[str, ...]] = ("videoUrls",)

    prompt: Annotated[str, Text(20_000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video. Required without media."
    )
    imageUrls: Annotated[list[ImageUrl], Many(0, 10)] = field(
        "Images", "Up to 10 images: references, or frames if generationType says so."
    )
    imageWithRoles: Annotated[list[OptionalRoleImage], Many(0, 10)] = field(
        "Images with roles", "Up to 10 images, as frames or as references, not both."
    )
    videoUrls: Annotated[list[VideoUrl], Many(0, 5)] = field(
        "Reference videos", "Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result."
    )
    audioUrls: Annotated[list[AudioUrl], Many(0, 5)] = field("Reference sound", "Up to 5 files.")
    fileUrl: Annotated[str, Url("document")] = field(
        "Document", "A document for the video, of at most 100 MB and 50 pages. Not with linkUrl."
    )
    linkUrl: Annotated[str, Url(None)] = field("Page", "A web page for the video. Not with fileUrl.")
    generationType: Annotated[str, Choice(("frame", "reference"))] = field(
        "Images are",
        "frame: the first and the last frame. reference: people or things that appear in the video.",
    )
    size: Annotated[str, Choice(("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "adaptive"
    )
    resolution: Annotated[str, Choice(("480p", "720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    duration: Annotated[int, Whole(2, 30)] = field("Duration", "Length in seconds.", 5)
    audio: Bool = field("Sound", "Generate sound for the video.", default=True)
    watermark: Bool = field("Watermark", "Add the vendor's watermark to the video.", default=False)
    seed: Annotated[int, Whole(0, MAX_SEED)] = field(
        "Seed", "The same seed and input return a similar result."
    )
