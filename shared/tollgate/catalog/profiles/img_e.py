"""IMG-E of the contract: images up to 4K from text or up to 14 references, with a choice of file type."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Prompt, field

SIZES = ("1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto")


class ImgE(Profile):
    """`urls` ≤ 14, ten sizes, four resolutions, file type, watermark (docs/contract.md#img-e)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field(
        "Prompt", "A description of the image, or of the changes to the given images.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(0, 14)] = field("Reference images", "Images to use as a reference.")
    size: Annotated[str, Choice(SIZES)] = field("Aspect ratio", "Ratio of width to height.", "1:1")
    resolution: Annotated[str, Choice(("1K", "2K", "3K", "4K"))] = field(
        "Resolution", "The price depends on the resolution.", "2K"
    )
    outputFormat: Annotated[str, Choice(("jpeg", "png"))] = field(
        "File type", "File type of the result.", "jpeg"
    )
    promptOptimizeMode: Annotated[str, Choice(("standard", "fast"))] = field(
        "Prompt optimizer", "How thoroughly the prompt is reworked before the image is generated.", "standard"
    )
    watermark: Bool = field("Watermark", "Add the vendor's watermark to the image.", default=False)
