"""The inputs of PoYo's talking heads and 3D, from docs/providers/poyo.md."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from local.simulator.providers.inputs import ModelInput, ShapeInput, Url, VideoInput, made, needed, one

_ONE_URL = Annotated[list[Url], Field(min_length=1, max_length=1)]
_AVATAR: dict[str, Any] = {
    "image_urls": needed(_ONE_URL),
    "audio_url": needed(Url),
    "prompt": Annotated[str, Field(max_length=5000)],
}
_PRO: dict[str, Any] = {"enable_pbr": bool, "generate_type": one("Normal", "Geometry")}
_RAPID: dict[str, Any] = {"enable_pbr": bool, "enable_geometry": bool}


def _prompt(most: int) -> dict[str, Any]:
    return {"prompt": needed(Annotated[str, Field(min_length=1, max_length=most)])}


_IMAGE = {"image_urls": needed(_ONE_URL)}
MODELS: Mapping[str, type[ModelInput]] = {
    "kling-avatar-2.0/standard": made("Avatar", VideoInput, _AVATAR),
    "kling-avatar-2.0/pro": made("Avatar", VideoInput, _AVATAR),
    "hunyuan-3d/v3.1/pro/text-to-3d": made("Shape", ShapeInput, {**_PRO, **_prompt(1024)}),
    "hunyuan-3d/v3.1/pro/image-to-3d": made("Shape", ShapeInput, {**_PRO, **_IMAGE}),
    "hunyuan-3d/v3.1/rapid/text-to-3d": made("Shape", ShapeInput, {**_RAPID, **_prompt(200)}),
    "hunyuan-3d/v3.1/rapid/image-to-3d": made("Shape", ShapeInput, {**_RAPID, **_IMAGE}),
}
"""By name."""
