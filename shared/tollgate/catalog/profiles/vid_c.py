"""VID-C of the contract: videos with a flat price, from text, frames or references."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field
from tollgate.catalog.rules import Rule, at_most_where, needs_one_of

# Not in the contract; the providers' bounds (docs/providers/poyo.md).
MAX_IMAGES = 3
MAX_FRAMES = 2


class VidC(Profile):
    """Two shapes, three resolutions, `generationType` (docs/contract.md#vid-c).

    Decided here: `generationType` is the purpose of the images, so it requires images.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        needs_one_of("generationType", "urls"),
        at_most_where("generationType", "frame", "urls", MAX_FRAMES),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    urls: Annotated[list[ImageUrl], Many(0, MAX_IMAGES)] = field(
        "Images", "First and last frame, or references: see generationType."
    )
    resolution: Annotated[str, Choice(("720p", "1080p", "4k"))] = field(
        "Resolution", "The price depends on the resolution.", "1080p"
    )
    generationType: Annotated[str, Choice(("frame", "reference"))] = field(
        "Images are",
        "frame: the first and the last frame. reference: people or things that appear in the video.",
    )
