"""IMG-G of the contract: images by ratio or by exact pixels, edits of up to four images."""

from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.profiles.base import ImageUrl, Profile, field
from tollgate.catalog.rules import Rule, only_together

# Not shown in the contract: from the smallest image worth making to 4K.
MIN_SIDE, MAX_SIDE = 64, 4096
# The limit of every provider of these models (tests/truth/published/poyo.json; docs/providers/dashscope.md).
MAX_SEED = 2_147_483_647

Side = Annotated[int, Whole(MIN_SIDE, MAX_SIDE)]


class ImgG(Profile):
    """`urls` 1–4, seven sizes or `width` and `height`, `seed` (docs/contract.md#img-g)."""

    rules: ClassVar[tuple[Rule, ...]] = (only_together("width", "height"),)

    prompt: Annotated[str, Text(5000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the image, or of the changes to the given images.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(1, 4)] = field(
        "Reference images", "Images to edit. The prompt can refer to them by their order."
    )
    size: Annotated[str, Choice(("1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"))] = field(
        "Aspect ratio", "Ratio of width to height.", "1:1"
    )
    width: Side = field("Width", "Width in pixels, together with height. Replaces the aspect ratio.")
    height: Side = field("Height", "Height in pixels, together with width. Replaces the aspect ratio.")
    seed: Annotated[int, Whole(0, MAX_SEED)] = field(
        "Seed", "The same seed and input return a similar result."
    )
