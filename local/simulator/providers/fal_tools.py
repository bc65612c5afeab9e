"""The inputs of fal's models that work on files: fields, types and limits from docs/providers/fal.md."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from local.simulator.providers.inputs import ImageInput, ModelInput, Url, made, needed

_Factor = Annotated[float, Field(ge=1, le=4, strict=False)]

ONE_IMAGE: Mapping[str, type[ModelInput]] = {
    "fal-ai/topaz/upscale/image": made(
        "Upscale", ImageInput, {"image_url": needed(Url), "upscale_factor": _Factor}
    ),
}
"""Models whose result has one `image` instead of `images`, by id."""

MODELS: Mapping[str, type[ModelInput]] = {**ONE_IMAGE}
"""By id."""
