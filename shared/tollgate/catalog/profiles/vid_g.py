"""VID-G of the contract: videos of 6 to 30 seconds from text or images."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field

# Not in the contract; a provider's bound (docs/providers/kie.md).
MAX_IMAGES = 7


class VidG(Profile):
    """Five sizes, six durations, two resolutions (docs/contract.md#vid-g)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    size: Annotated[str, Choice(("16:9", "9:16", "1:1", "3:2", "2:3"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    duration: Annotated[int, Choice((6, 10, 15, 20, 25, 30))] = field("Duration", "Length in seconds.", 6)
    resolution: Annotated[str, Choice(("480p", "720p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    urls: Annotated[list[ImageUrl], Many(0, MAX_IMAGES)] = field(
        "Images", "Images to start from. Without them, the video is generated only from the text."
    )
