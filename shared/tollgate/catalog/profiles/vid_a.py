"""VID-A of the contract: short videos of 10, 15 or 25 seconds."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field

# Not shown in the contract: as many as the image profiles commonly take.
MAX_IMAGES = 10


class VidA(Profile):
    """Two shapes, three durations (docs/contract.md#vid-a)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"duration": "duration"}

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    urls: Annotated[list[ImageUrl], Many(0, MAX_IMAGES)] = field(
        "Images", "Images to start from. Without them, the video is generated only from the text."
    )
    duration: Annotated[int, Choice((10, 15, 25))] = field("Duration", "Length in seconds.", 10)
