"""Images on PoYo; fields and ids from docs/providers/poyo.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, FieldMap, Mapper, Values, variant_if
from tollgate.providers.mapping.pixels import exactly
from tollgate.providers.mapping.targets import SEED, accept_only, at_most, upper
from tollgate.providers.media.poyo import facts


def _in_pixels(values: Values) -> Values:
    return exactly(values, facts.WAN_IMAGE_AREA_PX)


_QWEN: FieldMap = {"prompt": "prompt", "size": "size", "urls": "image_urls", "seed": SEED}
# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "z-image": Family(
        {
            "prompt": "prompt",
            "size": "size",
            "urls": "image_urls",
            "enableSafetyChecker": "enable_safety_checker",
        }
    ),
    "gpt-image": Family(
        {
            "prompt": "prompt",
            "size": "size",
            "resolution": upper("resolution"),
            "urls": "image_urls",
            # The costs are of its default quality.
            "quality": accept_only("auto"),
            "moderation": accept_only("auto"),
        },
        variant_if("urls", "edit"),
    ),
    "grok-imagine-image": Family({"prompt": "prompt", "size": "size", "urls": at_most("image_urls", 1)}),
    "wan-2.7-image": Family(
        {"prompt": "prompt", "imageSize": "size", "urls": "image_urls", "seed": SEED}, prepare=_in_pixels
    ),
    "qwen-image-3": Family(_QWEN),
    # The resolution of its price in the catalog; the default is 2K.
    "qwen-image-3-pro": Family(_QWEN, fixed={"resolution": "1K"}),
}
