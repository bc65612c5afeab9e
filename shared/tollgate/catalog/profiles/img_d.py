"""IMG-D of the contract: images in 14 shapes, up to very long strips."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field

# Not shown in the contract; the most that the vendor takes (docs/contract.md#img-d).
MAX_REFERENCES = 14
SIZES = (
    "1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1",
)  # fmt: skip


class ImgD(Profile):
    """14 sizes, four resolutions (docs/contract.md#img-d)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field(
        "Prompt", "A description of the image, or of the changes to the given images.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(0, MAX_REFERENCES)] = field(
        "Reference images", f"Up to {MAX_REFERENCES} images to use as a reference."
    )
    size: Annotated[str, Choice(SIZES)] = field("Aspect ratio", "Ratio of width to height.", "16:9")
    resolution: Annotated[str, Choice(("512px", "1K", "2K", "4K"))] = field(
        "Resolution", "The price depends on the resolution.", "1K"
    )
