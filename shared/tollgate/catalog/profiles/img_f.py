"""IMG-F of the contract: small fast images, edited when one reference image is given."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, field
from tollgate.catalog.rules import CheckedInput, Rule, at, rule
from tollgate.kit.problems import Problem

SIZES = ("1:1", "4:3", "3:4", "16:9", "9:16")


@rule("size", "urls")
def size_of_a_new_image_is_chosen(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "required for text-to-image, optional for editing" (docs/contract.md#img-f).

    The default in brackets, 1:1, therefore applies only to editing, because the size may be omitted there.
    """
    if checked.given.isdisjoint(("size", "urls")):
        yield Problem(at("size"), "Required for text-to-image (no urls).", list(SIZES))


class ImgF(Profile):
    """`prompt` ≤ 1000, `urls` exactly one, `size` of five, `enableSafetyChecker` (docs/contract.md#img-f)."""

    rules: ClassVar[tuple[Rule, ...]] = (size_of_a_new_image_is_chosen,)

    prompt: Annotated[str, Text(1000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the image, or of the changes to the given image.", required=True
    )
    urls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Reference image", "Exactly one image to edit. Without it, a new image is generated."
    )
    size: Annotated[str, Choice(SIZES)] = field(
        "Aspect ratio", "Ratio of width to height. Required without a reference image.", "1:1"
    )
    enableSafetyChecker: Bool = field(
        "Safety checker", "Refuse results that fail the provider's content check.", default=True
    )
