"""The inputs of ModelArk's models: fields, types and limits (docs/providers/ark.md)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from local.simulator.media import Artifact
from local.simulator.media.picture import Picture
from local.simulator.providers.content import MEDIA
from local.simulator.providers.inputs import (
    ModelInput,
    Url,
    VideoInput,
    jpegs,
    made,
    needed,
    one,
    videos,
)
from local.simulator.wire import text

_RATIOS = one("16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive")
_SEEDANCE: dict[str, Any] = {
    **MEDIA,
    "ratio": _RATIOS,
    "duration": int,
    "seed": int,
    "generate_audio": bool,
    "watermark": bool,
    "callback_url": Url,
}
_SEEDANCE_15: dict[str, Any] = {
    **_SEEDANCE,
    "resolution": one("480p", "720p", "1080p"),
    "camera_fixed": bool,
}
_SEEDANCE_2: dict[str, Any] = {
    **_SEEDANCE,
    "resolution": one("480p", "720p", "1080p", "4k"),
    "return_last_frame": bool,
    "tools": list[dict[str, str]],
}
_SEEDANCE_25: dict[str, Any] = {
    **_SEEDANCE_2,
    "output_format": one("mp4", "mov"),
    "omni_reference_task_type": one("auto", "edit", "extend"),
}
_SEEDREAM: dict[str, Any] = {
    "image": Annotated[list[Url], Field(min_length=1, max_length=14)],
    # A tier, or width and height.
    "size": needed(Annotated[str, Field(pattern=r"^([1-4]K|1\.5K|\d{3,4}x\d{3,4})$")]),
    "watermark": bool,
    "sequential_image_generation": one("disabled"),
    "response_format": one("url", "b64_json"),
}
_OPTIMIZED: dict[str, Any] = {
    "optimize_prompt_options": dict[Literal["mode"], Literal["standard", "fast"]],
}
_LAST_FRAME_PX = (1_024, 576)


class LastFrameInput(VideoInput):
    """The input of a video model that also returns the last frame."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the videos and, if it is requested, an image."""
        said, found = self.said(), super().artifacts(label, count)
        if said.get("return_last_frame"):
            found.append(Picture(*_LAST_FRAME_PX, text(said.get("prompt")), label, found[0].seed))
        return found


VIDEOS: Mapping[str, type[ModelInput]] = {
    "seedance-1-5-pro-251215": videos(**_SEEDANCE_15),
    "dreamina-seedance-2-0-260128": made("Videos", LastFrameInput, _SEEDANCE_2),
    "dreamina-seedance-2-0-fast-260128": made("Videos", LastFrameInput, _SEEDANCE_2),
    "dreamina-seedance-2-0-mini": made("Videos", LastFrameInput, _SEEDANCE_2),
    "dreamina-seedance-2-5-260628": made("Videos", LastFrameInput, _SEEDANCE_25),
}
IMAGES: Mapping[str, type[ModelInput]] = {
    "seedream-4-0-250828": jpegs(**_SEEDREAM, **_OPTIMIZED),
    "seedream-4-5-251128": jpegs(**_SEEDREAM),
    "seedream-5-0-260128": jpegs(**_SEEDREAM, output_format=one("jpeg", "png")),
    "dola-seedream-5-0-pro-260628": jpegs(**_SEEDREAM, output_format=one("jpeg", "png")),
}
LEAST_PX = {
    "seedream-4-0-250828": 921_600,
    "seedream-4-5-251128": 3_686_400,
    "seedream-5-0-260128": 3_686_400,
}
MOST_PX = {
    "seedream-4-0-250828": 16_777_216,
    "seedream-4-5-251128": 16_777_216,
    "seedream-5-0-260128": 10_404_496,
}
"""The minimum and the maximum number of pixels of a size, by model."""
