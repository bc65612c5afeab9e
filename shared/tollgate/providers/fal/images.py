"""Images on fal; fields and ids from catalog.json (FOUND there unless said otherwise)."""

from collections.abc import Mapping

from tollgate.providers.fal import facts
from tollgate.providers.fields import (
    Family,
    Mapper,
    Values,
    first,
    given,
    lower,
    only,
    translated,
)
from tollgate.providers.images import CannotMapError
from tollgate.providers.pixels import size_px

_EDITED = given("urls", "edit")


def _sized(values: Values, areas_px: Mapping[str, int], longest_px: int | None = None) -> Values:
    """Give `values` with `imageSize` in place of size and resolution."""
    size, area_px = values["size"], areas_px[values["resolution"]]
    if size == "auto":
        raise CannotMapError("a size of auto has no tier")
    others = {name: value for name, value in values.items() if name not in ("size", "resolution")}
    return {**others, "imageSize": size_px(size, area_px, longest_px)}


def _gpt_sized(values: Values) -> Values:
    """Size an image of GPT Image: `auto` is the one word for a size, and has no tier but the first."""
    if values["size"] == "auto" and values["resolution"] == "1k":
        others = {name: value for name, value in values.items() if name not in ("size", "resolution")}
        return {**others, "imageSize": "auto"}
    return _sized(values, facts.GPT_AREAS_PX, facts.GPT_LONGEST_PX)


def _seedream_sized(values: Values) -> Values:
    return _sized(values, facts.SEEDREAM_AREAS_PX)


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
            # Not confirmed on fal; the model's own default is to look things up.
            "grounding": only(True),
            "urls": "image_urls",
        },
        _EDITED,
    ),
    "gpt-image": Family(
        {"prompt": "prompt", "imageSize": "image_size", "urls": "image_urls"},
        _EDITED,
        # What its price in the catalog is for.
        fixed={"quality": "medium"},
        prepare=_gpt_sized,
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
            "outputFormat": only("jpeg"),
            "promptOptimizeMode": only("standard"),
            "watermark": only(False),
        },
        _EDITED,
        prepare=_seedream_sized,
    ),
}
"""How each mapping of the catalog is said on fal."""
