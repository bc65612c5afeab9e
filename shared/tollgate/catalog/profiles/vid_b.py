"""VID-B of the contract: videos of 4 to 20 seconds from text or one image."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field


class VidB(Profile):
    """Two shapes, `urls` at most one, five durations (docs/contract.md#vid-b)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {"duration": "duration"}

    prompt: Prompt = field("Prompt", "A description of the video.", required=True)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    urls: Annotated[list[ImageUrl], Many(0, 1)] = field("Image", "At most one image to start from.")
    duration: Annotated[int, Choice((4, 8, 12, 16, 20))] = field("Duration", "Length in seconds.", 4)
