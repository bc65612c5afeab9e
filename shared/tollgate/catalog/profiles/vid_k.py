"""VID-K of the contract: a figure from an image moves as someone does in a video."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.media import BYTES_PER_MB, MediaRule
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, VideoUrl, field


class VidK(Profile):
    """Exactly one image and one video, `characterOrientation` (docs/contract.md#vid-k).

    The result is as long as the given video; no other field sets a length.
    """

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("imageUrls", "image", containers=("jpeg", "png"), max_bytes=10 * BYTES_PER_MB),
        MediaRule(
            "videoUrls", "video", containers=("mp4", "mov"), max_bytes=100 * BYTES_PER_MB, is_source=True
        ),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "Other content of the video.")
    imageUrls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Character", "Exactly one image of the character: JPG or PNG, at most 10 MB.", required=True
    )
    videoUrls: Annotated[list[VideoUrl], Many(1, 1)] = field(
        "Motion", "Exactly one video of the motion: MP4 or MOV, at most 100 MB.", required=True
    )
    characterOrientation: Annotated[str, Choice(("image", "video"))] = field(
        "Orientation", "Take the character's orientation from the image or the video.", required=True
    )
    resolution: Annotated[str, Choice(("720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "720p"
    )

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return the length of the motion video."""
        del values
        return source_s
