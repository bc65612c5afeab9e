"""Images on ModelArk: Seedream (docs/providers/ark.md).

That a file type can be chosen from 5.0 on only, and that only 4.0 has the fast prompt optimizer, is in the
documentation of platforms that pass requests on to ModelArk.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values
from tollgate.providers.mapping.pixels import SEEDREAM_AREAS_PX, size_px
from tollgate.providers.mapping.targets import accept_only
from tollgate.providers.media.ark import facts
from tollgate.providers.runtime.base import Job, Mapped


def _sized(values: Values) -> Values:
    """Return `values` with `imageSize`: width and height in pixels or, for a size of auto, the tier alone."""
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
        # One image: the contract knows no series. Addresses, for the files are copied at once.
        fixed={"sequential_image_generation": "disabled", "response_format": "url"},
        prepare=_sized,
    )


_SEEDREAM_40 = _family({"promptOptimizeMode": _optimized, "outputFormat": accept_only("jpeg")})
_SEEDREAM_45 = _family({"outputFormat": accept_only("jpeg")})
_SEEDREAM_50 = _family({"outputFormat": "output_format"})


def _seedream(job: Job) -> Mapped:
    ids = "".join(job.upstream.values())
    if facts.SEEDREAM_40 in ids:
        return _SEEDREAM_40(job)
    return (_SEEDREAM_45 if facts.SEEDREAM_45 in ids else _SEEDREAM_50)(job)


# How each mapping of the catalog is said on ModelArk.
MAPPINGS: Mapping[str, Mapper] = {"seedream": _seedream}
