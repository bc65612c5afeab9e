"""Upscaling: an image or a video becomes larger (docs/contract.md#upscale-image)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.media import BYTES_PER_MB, Length, MediaFacts, MediaRule, Size
from tollgate.catalog.profiles.base import ImageUrl, Profile, VideoUrl, field

IMAGES = ("jpeg", "png", "webp")
PIXELS_PER_MEGAPIXEL = 1_000_000
# Vendors publish no bound, so this bounds the charge of a request.
MAX_VIDEO_S = Decimal(600)


def _long_side(values: Mapping[str, Any], facts: MediaFacts) -> int:
    return max(facts.width or 0, facts.height or 0) * int(values["upscaleFactor"])


def _megapixels(values: Mapping[str, Any], facts: MediaFacts) -> int:
    """Return the megapixels of the result, rounded up."""
    pixels = (facts.width or 0) * (facts.height or 0) * int(values["upscaleFactor"]) ** 2
    return -(-pixels // PIXELS_PER_MEGAPIXEL)


class UpscaleImage(Profile):
    """Exactly one image, and the factor for each of its sides (docs/contract.md#upscale-image).

    The size of the result decides the price, so the image is probed.
    """

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("imageUrls", "image", containers=IMAGES, max_bytes=10 * BYTES_PER_MB),
    )
    sizes: ClassVar[Mapping[str, Size]] = {
        "longSide": Size("imageUrls", "pixels on its long side", _long_side),
        "megapixels": Size("imageUrls", "megapixels", _megapixels),
    }

    imageUrls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Image", "Exactly one image: JPG, PNG or WebP, at most 10 MB.", required=True
    )
    upscaleFactor: Annotated[int, Choice((1, 2, 4, 8))] = field(
        "Factor", "The factor for width and height. 1 only improves the details.", 2
    )


class UpscaleVideo(Profile):
    """Exactly one video, and the resolution of the result (docs/contract.md#upscale-video).

    The result is as long as the given video, so the video is probed.
    """

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule(
            "videoUrls",
            "video",
            each=Length(high=MAX_VIDEO_S),
            containers=("mp4", "mov"),
            max_bytes=500 * BYTES_PER_MB,
            is_source=True,
        ),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    videoUrls: Annotated[list[VideoUrl], Many(1, 1)] = field(
        "Video", "Exactly one video: MP4 or MOV, at most 600 s and 500 MB.", required=True
    )
    resolution: Annotated[str, Choice(("1080p", "2k", "4k"))] = field(
        "Resolution", "The price per second depends on the resolution.", "1080p"
    )

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return the length of the given video."""
        del values
        return source_s
