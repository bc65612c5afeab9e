"""IMG-A of the contract: images up to 4K, from text or up to 10 references, grounded by a search."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Prompt, field

SIZES = (
    "auto", "21:9", "2:1", "16:9", "3:2", "7:5", "4:3", "5:4", "1:1", "4:5", "3:4", "5:7", "2:3", "9:16",
    "1:2", "9:21",
)  # fmt: skip


class ImgA(Profile):
    """`urls` ≤ 10, 16 sizes, five resolutions, `grounding` (docs/contract.md#img-a)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field(
        "Prompt", "A description of the image, or of the changes to the given images.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(0, 10)] = field(
        "Reference images", "Up to 10 images to use as a reference."
    )
    size: Annotated[str, Choice(SIZES)] = field("Aspect ratio", "Ratio of width to height.", "auto")
    resolution: Annotated[str, Choice(("768SQ", "1K", "1.5K", "2K", "4K"))] = field(
        "Resolution", "The price depends on the resolution.", "1K"
    )
    grounding: Bool = field(
        "Grounding", "Search the web for facts and images first. No extra cost.", default=True
    )
