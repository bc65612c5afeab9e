"""The inputs of kie's models that work on files: fields, types and limits (docs/providers/kie.md)."""

from collections.abc import Mapping

from local.simulator.providers.inputs import ImageInput, ModelInput, Url, made, needed, one

MODELS: Mapping[str, type[ModelInput]] = {
    "topaz/image-upscale": made(
        "Upscale", ImageInput, {"image_url": needed(Url), "upscale_factor": needed(one("1", "2", "4", "8"))}
    ),
}
"""By name."""
