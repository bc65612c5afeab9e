"""Background removal: the subject of an image on a transparent background (docs/contract.md#cutout)."""

from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Many
from tollgate.catalog.media import BYTES_PER_MB, MediaRule
from tollgate.catalog.profiles.base import ImageUrl, Profile, field


class Cutout(Profile):
    """Exactly one image (docs/contract.md#cutout). The result is a PNG with transparency."""

    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("imageUrls", "image", containers=("jpeg", "png", "webp"), max_bytes=10 * BYTES_PER_MB),
    )

    imageUrls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Image", "Exactly one image: JPG, PNG or WebP, at most 10 MB.", required=True
    )
