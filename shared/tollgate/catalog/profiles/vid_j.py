"""VID-J of the contract: videos of 3 to 15 seconds from text or from first and last frame."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text, Whole
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, field


class VidJ(Profile):
    """3–15 s, three shapes, three resolutions, up to two frames (docs/contract.md#vid-j)."""

    price_dimensions: ClassVar[Mapping[str, str]] = {
        "resolution": "resolution",
        "audio": "generateAudio",
        "duration": "duration",
    }

    prompt: Annotated[str, Text(2500, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video.", required=True
    )
    resolution: Annotated[str, Choice(("720p", "1080p", "4k"))] = field(
        "Resolution", "The price depends on the resolution.", "720p"
    )
    duration: Annotated[int, Whole(3, 15)] = field("Duration", "Length in seconds.", 5)
    aspectRatio: Annotated[str, Choice(("16:9", "9:16", "1:1"))] = field(
        "Aspect ratio", "Ratio of width to height. Ignored if the video starts from an image.", "16:9"
    )
    generateAudio: Bool = field("Sound", "Generate sound for the video.", default=False)
    imageUrls: Annotated[list[ImageUrl], Many(0, 2)] = field(
        "Frames", "One image is the first frame, two are the first and the last."
    )
