"""VID-F of the contract: short videos with sound, from text, reference images or first and last frames."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Seed, field
from tollgate.catalog.profiles.frames import (
    FrameImage,
    a_last_frame_follows_a_first,
    each_frame_has_one_image,
)
from tollgate.catalog.rules import Rule, not_together, required_unless


class VidF(Profile):
    """Durations of 4, 8 and 12 s, six shapes, three resolutions (docs/contract.md#vid-f).

    Two rules are not in the contract for VID-F and are taken from VID-D, its successor with the same fields:
    a prompt may be omitted only if an image shows the subject, and `imageWithRoles` excludes other images,
    because frames and free references are two different jobs at the providers.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", "imageUrls", "imageWithRoles"),
        not_together("imageWithRoles", "imageUrls"),
        each_frame_has_one_image,
        a_last_frame_follows_a_first,
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"resolution": "resolution", "audio": "generateAudio"}

    prompt: Annotated[str, Text(4000, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the video. Required without an image."
    )
    duration: Annotated[int, Choice((4, 8, 12))] = field("Duration", "Length in seconds.", 4)
    size: Annotated[str, Choice(("16:9", "9:16", "1:1", "4:3", "3:4", "21:9"))] = field(
        "Aspect ratio", "Ratio of width to height.", "16:9"
    )
    resolution: Annotated[str, Choice(("480p", "720p", "1080p"))] = field(
        "Resolution", "The price per second depends on the resolution.", "480p"
    )
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
    generateAudio: Bool = field("Sound", "Generate sound for the video.", default=True)
    imageUrls: Annotated[list[ImageUrl], Many(0, 9)] = field(
        "Reference images", "Up to 9 images. Not with imageWithRoles."
    )
    imageWithRoles: Annotated[list[FrameImage], Many(0, 2)] = field(
        "First and last frame", "Up to 2 images, each with its role. Not with imageUrls."
    )
    cameraFixed: Bool = field("Fixed camera", "Keep the camera still.", default=False)
