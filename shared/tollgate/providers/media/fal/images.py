"""Images on fal; fields and ids from docs/providers/fal.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper, Values, variant_if
from tollgate.providers.mapping.gpt_image import PROMPT, QUALITY, gpt_quality, gpt_sized
from tollgate.providers.mapping.pixels import SEEDREAM_AREAS_PX, sized
from tollgate.providers.mapping.targets import accept_only, first, lower, translated
from tollgate.providers.media.fal import facts

_EDITED = variant_if("urls", "edit")


def _seedream_sized(values: Values) -> Values:
    return sized(values, SEEDREAM_AREAS_PX)


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "z-image": Family(
        {
            "prompt": "prompt",
            "size": translated("image_size", facts.IMAGE_SIZES),
            "enableSafetyChecker": "enable_safety_checker",
            "urls": first("image_url"),
        },
        _EDITED,
    ),
    "flux-3-image": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": lower("resolution"),
            # The field is not confirmed on fal; the model's default is to use search.
            "grounding": accept_only(True),
            "urls": "image_urls",
        },
        _EDITED,
    ),
    "gpt-image": Family(
        {
            "prompt": PROMPT,
            "imageSize": "image_size",
            "urls": "image_urls",
            "quality": gpt_quality,
            "outputFormat": "output_format",
            "outputCompression": "output_compression",
            "moderation": accept_only("auto"),
        },
        _EDITED,
        fixed={"quality": QUALITY},
        prepare=gpt_sized,
    ),
    "grok-imagine-image": Family({"prompt": "prompt", "size": "aspect_ratio"}, _EDITED),
    "nano-banana": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": translated("resolution", facts.NANO_BANANA_TIERS),
            "urls": "image_urls",
        },
        _EDITED,
    ),
    "seedream": Family(
        {
            "prompt": "prompt",
            "imageSize": "image_size",
            "urls": "image_urls",
            "outputFormat": accept_only("jpeg"),
            "promptOptimizeMode": accept_only("standard"),
            "watermark": accept_only(False),
        },
        _EDITED,
        prepare=_seedream_sized,
    ),
}
