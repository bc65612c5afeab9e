"""IMG-C of the contract: images in a few shapes, from text or one reference."""

from typing import Annotated

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import ImageUrl, Profile, Prompt, field


class ImgC(Profile):
    """Five sizes, `urls` at most one (docs/contract.md#img-c)."""

    prompt: Prompt = field(
        "Prompt", "A description of the image, or of the changes to the given image.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(0, 1)] = field(
        "Reference image", "At most one image to use as a reference."
    )
    size: Annotated[str, Choice(("1:1", "16:9", "9:16", "3:2", "2:3"))] = field(
        "Aspect ratio", "Ratio of width to height.", "1:1"
    )
