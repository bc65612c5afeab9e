"""VID-C of the contract: videos with a flat price, from text, frames or references."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many
from tollgate.catalog.profiles.base import MediaUrl, Profile, Prompt, field
from tollgate.catalog.rules import CheckedInput, Rule, at, items, needs_one_of, rule
from tollgate.kit.errors import Problem

# Not shown in the contract; what the providers take (docs/providers/poyo.md).
MAX_IMAGES = 3
MAX_FRAMES = 2


@rule(
    "generationType",
    "urls",
    schema={
        "if": {"required": ["generationType"], "properties": {"generationType": {"const": "frame"}}},
        "then": {"properties": {"urls": {"maxItems": MAX_FRAMES}}},
    },
)
def a_video_has_two_ends(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse a third image for `frame`: a video has a first and a last frame."""
    count = len(items(checked, "urls"))
    if checked.values.get("generationType") == "frame" and count > MAX_FRAMES:
        yield Problem(at("urls"), f"generationType frame takes at most {MAX_FRAMES} images, has {count}.")


class VidC(Profile):
    """Two shapes, three resolutions, `generationType` (docs/contract.md#vid-c).

    Decided here: `generationType` says what the images are for, so it needs some.
    """

    rules: ClassVar[tuple[Rule, ...]] = (needs_one_of("generationType", "urls"), a_video_has_two_ends)
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution"}

    prompt: Prompt = field("Prompt", "What happens in the video.", required=True)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16"))] = field(
        "Aspect ratio", "Shape of the video.", "16:9"
    )
    urls: Annotated[list[MediaUrl], Many(0, MAX_IMAGES)] = field(
        "Images", "First and last frame, or references: see generationType."
    )
    resolution: Annotated[str, Choice(("720p", "1080p", "4k"))] = field(
        "Resolution", "Each tier has its price.", "1080p"
    )
    generationType: Annotated[str, Choice(("frame", "reference"))] = field(
        "Images are", "frame: the first and the last frame. reference: what appears in the video."
    )
