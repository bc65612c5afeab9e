"""Talking heads: a person in an image, or in a video, speaks the given sound (docs/contract.md#avatar)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text
from tollgate.catalog.media import BYTES_PER_MB, Length, MediaRule
from tollgate.catalog.profiles.base import AudioUrl, ImageUrl, Profile, VideoUrl, field

SPEECH = MediaRule(
    "audioUrls",
    "audio",
    each=Length(Decimal(2), Decimal(60)),
    containers=("mp3", "wav", "m4a"),
    max_bytes=10 * BYTES_PER_MB,
    is_source=True,
)


class _Spoken(Profile):
    """A result that is as long as the given sound."""

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return the length of the given sound."""
        del values
        return source_s


class Avatar(_Spoken):
    """Exactly one image and one sound of 2 to 60 s, `quality` (docs/contract.md#avatar)."""

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("imageUrls", "image", containers=("jpeg", "png", "webp"), max_bytes=10 * BYTES_PER_MB),
        SPEECH,
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"quality": "quality"}

    imageUrls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Person", "Exactly one image of a person: JPG, PNG or WebP, at most 10 MB.", required=True
    )
    audioUrls: Annotated[list[AudioUrl], Many(1, 1)] = field(
        "Speech", "Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB.", required=True
    )
    prompt: Annotated[str, Text(1500, prompt=True, multiline=True)] = field(
        "Prompt", "The emotion, the gestures and the camera."
    )
    quality: Annotated[str, Choice(("standard", "pro"))] = field(
        "Quality", "The price per second depends on the quality.", "standard"
    )


class LipSync(_Spoken):
    """Exactly one video and one sound, `syncMode`, `quality` (docs/contract.md#lip-sync).

    With both modes, the result is as long as the sound.
    """

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule(
            "videoUrls",
            "video",
            each=Length(Decimal(1), Decimal(60)),
            containers=("mp4",),
            max_bytes=100 * BYTES_PER_MB,
        ),
        SPEECH,
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"quality": "quality"}

    videoUrls: Annotated[list[VideoUrl], Many(1, 1)] = field(
        "Video", "Exactly one video of a speaker: MP4, 1 to 60 s, at most 100 MB.", required=True
    )
    audioUrls: Annotated[list[AudioUrl], Many(1, 1)] = field(
        "Speech", "Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB.", required=True
    )
    syncMode: Annotated[str, Choice(("loop", "bounce"))] = field(
        "Shorter video", "Repeat a video that is shorter than the sound, or play it back and forth.", "loop"
    )
    quality: Annotated[str, Choice(("standard", "pro"))] = field(
        "Quality", "The price per second depends on the quality.", "standard"
    )
