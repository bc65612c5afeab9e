"""The inputs of fal's models that work on files, and of 3D, from docs/providers/fal.md."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from local.simulator.providers.inputs import (
    CutoutInput,
    ImageInput,
    ModelInput,
    ShapeInput,
    Url,
    VideoInput,
    made,
    needed,
    one,
)

_Factor = Annotated[float, Field(ge=1, le=4, strict=False)]
_IMAGE = {"image_url": needed(Url)}
_SHAPE_PROMPT = {"prompt": needed(Annotated[str, Field(min_length=1, max_length=1024)])}
_SHAPE_IMAGE = {"input_image_url": needed(Url)}
_PRO: dict[str, Any] = {"enable_pbr": bool, "generate_type": one("Normal", "Geometry")}
_RAPID: dict[str, Any] = {"enable_pbr": bool, "enable_geometry": bool}

ONE_IMAGE: Mapping[str, type[ModelInput]] = {
    "fal-ai/topaz/upscale/image": made("Upscale", ImageInput, {**_IMAGE, "upscale_factor": _Factor}),
    "fal-ai/bria/background/remove": made("Cutout", CutoutInput, _IMAGE),
}
"""Models whose result has one `image` instead of `images`, by id."""

MODELS: Mapping[str, type[ModelInput]] = {
    **ONE_IMAGE,
    "fal-ai/bytedance-upscaler/upscale/video": made(
        "Upscale", VideoInput, {"video_url": needed(Url), "target_resolution": one("1080p", "2k", "4k")}
    ),
    **{
        f"fal-ai/kling-video/ai-avatar/v2/{quality}": made(
            "Avatar", VideoInput, {**_IMAGE, "audio_url": needed(Url), "prompt": str}
        )
        for quality in ("standard", "pro")
    },
    "fal-ai/sync-lipsync/v2": made(
        "LipSync",
        VideoInput,
        {
            "video_url": needed(Url),
            "audio_url": needed(Url),
            "sync_mode": one("cut_off", "loop", "bounce", "silence", "remap"),
            "model": one("lipsync-2", "lipsync-2-pro"),
        },
    ),
    "fal-ai/hunyuan-3d/v3.1/pro/text-to-3d": made("Shape", ShapeInput, {**_PRO, **_SHAPE_PROMPT}),
    "fal-ai/hunyuan-3d/v3.1/pro/image-to-3d": made("Shape", ShapeInput, {**_PRO, **_SHAPE_IMAGE}),
    "fal-ai/hunyuan-3d/v3.1/rapid/text-to-3d": made("Shape", ShapeInput, {**_RAPID, **_SHAPE_PROMPT}),
    "fal-ai/hunyuan-3d/v3.1/rapid/image-to-3d": made("Shape", ShapeInput, {**_RAPID, **_SHAPE_IMAGE}),
}
"""By id."""
