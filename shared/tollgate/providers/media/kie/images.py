"""Images on kie; fields and ids from its documentation (docs/providers/kie.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, FieldMap, Mapper, Values, by_start_of_id, variant_if
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import INT32_MAX, accept_only, at_most, one_of, translated, upper
from tollgate.providers.media.kie import facts
from tollgate.providers.runtime.base import Job, Mapped

_EDITED = variant_if("urls", "edit")


def _no_large_square(values: Values) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` for a square at 4K (docs/providers/kie.md)."""
    if values["size"] == "1:1" and values["resolution"] == "4k":
        raise CannotMapError("no square at 4k")
    return values


_NANO_BANANA: FieldMap = {
    "prompt": "prompt",
    "size": "aspect_ratio",
    "resolution": one_of("resolution", "1K", "2K", "4K"),
}
_NANO_BANANAS = Family({**_NANO_BANANA, "urls": "image_input"})
_NANO_BANANA_LITE = Family({**_NANO_BANANA, "urls": "image_urls"})


def _nano_banana(job: Job) -> Mapped:
    is_lite = facts.NANO_BANANA_LITE in job.upstream.values()
    return (_NANO_BANANA_LITE if is_lite else _NANO_BANANAS)(job)


def _seedream_words(tiers: FieldMap) -> Family:
    return Family(
        {
            "prompt": "prompt",
            "size": one_of("aspect_ratio", *facts.RATIOS),
            "urls": "image_urls",
            "outputFormat": "output_format",
            "promptOptimizeMode": accept_only("standard"),
            "watermark": accept_only(False),
            **tiers,
        },
        _EDITED,
    )


# Each version has its own name for the resolution.
_SEEDREAMS: Mapping[str, Family] = {
    "seedream/4.5": _seedream_words(
        {"resolution": translated("quality", {"2K": "basic", "4K": "high"})},
    ),
    "seedream/5-lite": _seedream_words(
        {"resolution": translated("quality", {"2K": "basic", "3K": "high", "4K": "ultra"})},
    ),
    "seedream/5-pro": _seedream_words(
        {"resolution": translated("quality", {"1K": "basic", "2K": "high"})},
    ),
    "seedream/5-flash": _seedream_words({"resolution": "size"}),
    "bytedance/seedream-v4": _seedream_words(
        {
            "size": translated("image_size", facts.SEEDREAM_40_PRESETS),
            "resolution": "image_resolution",
            # It has no field for the file type.
            "outputFormat": accept_only("jpeg"),
        },
    ),
}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "z-image": Family(
        {"prompt": "prompt", "size": "aspect_ratio", "enableSafetyChecker": accept_only(True)}, _EDITED
    ),
    "gpt-image": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": upper("resolution"),
            "urls": "input_urls",
            "quality": accept_only("auto"),
            "moderation": accept_only("auto"),
        },
        _EDITED,
        prepare=_no_large_square,
    ),
    "grok-imagine-image": Family(
        {
            "prompt": at_most("prompt", facts.GROK_PROMPT_CHARS),
            "size": "aspect_ratio",
            "urls": "image_urls",
        },
        _EDITED,
    ),
    "nano-banana": _nano_banana,
    "seedream": by_start_of_id(_SEEDREAMS),
    "wan-2.7-image": Family(
        {"prompt": "prompt", "urls": "input_urls", "seed": at_most("seed", INT32_MAX)},
        _EDITED,
        {
            "text": {"size": one_of("aspect_ratio", *facts.WAN_RATIOS)},
            # With images, the result has their shape; 1:1 is the profile's default.
            "edit": {"size": accept_only("1:1")},
        },
        # It would generate four.
        fixed={"n": 1},
    ),
    "qwen-image-3": Family(
        {
            "prompt": "prompt",
            "size": one_of("image_size", *facts.QWEN_RATIOS),
            "urls": "image_urls",
            "seed": at_most("seed", INT32_MAX),
        },
        _EDITED,
    ),
}
