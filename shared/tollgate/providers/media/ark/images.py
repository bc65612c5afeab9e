"""Images on ModelArk: Seedream (docs/providers/ark.md).

The file type can be chosen from 5.0 on, and only 4.0 has the fast prompt optimizer. The source of both is the
documentation of platforms that forward requests to ModelArk.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values, by_start_of_id
from tollgate.providers.mapping.pixels import SEEDREAM_AREAS_PX, size_px
from tollgate.providers.mapping.targets import accept_only
from tollgate.providers.media.ark import facts


def _sized(values: Values) -> Values:
    """Return `values` with `imageSize`: width and height in pixels or, for a size of auto, only the tier."""
    size, tier = values["size"], values["resolution"]
    others = {name: value for name, value in values.items() if name not in ("size", "resolution")}
    if size == "auto":
        return {**others, "imageSize": tier}
    px = size_px(size, SEEDREAM_AREAS_PX[tier], step_px=facts.SEEDREAM_STEP_PX)
    return {**others, "imageSize": f"{px['width']}x{px['height']}"}


def _optimized(mode: str) -> Body:
    return {"optimize_prompt_options": {"mode": mode}}


def _family(more: FieldMap) -> Family:
    return Family(
        {
            "prompt": "prompt",
            "urls": "image",
            "imageSize": "size",
            "watermark": "watermark",
            "promptOptimizeMode": accept_only("standard"),
            **more,
        },
        # One image, because the contract has no series. URLs, because the files are copied immediately.
        fixed={"sequential_image_generation": "disabled", "response_format": "url"},
        prepare=_sized,
    )


_SEEDREAM_50 = _family({"outputFormat": "output_format"})
_SEEDREAMS: Mapping[str, Family] = {
    "seedream-4-0": _family({"promptOptimizeMode": _optimized, "outputFormat": accept_only("jpeg")}),
    "seedream-4-5": _family({"outputFormat": accept_only("jpeg")}),
    "seedream-5-0": _SEEDREAM_50,
    "dola-seedream-5-0": _SEEDREAM_50,
}

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"seedream": by_start_of_id(_SEEDREAMS)}
