"""FLUX 3 at BFL; fields from docs/providers/bfl.md and BFL's OpenAPI document (`facts.py`)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper, Values, variant_if
from tollgate.providers.mapping.flux import FLUX_3_IMAGE
from tollgate.providers.mapping.targets import translated
from tollgate.providers.media.bfl import facts


def _with_its_mode(values: Values) -> Values:
    """Return `values` with the required mode: whether the video starts from text or from images."""
    return {**values, "mode": variant_if("imageUrls", "i2v", "t2v")(values)}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "flux-3-image": FLUX_3_IMAGE,
    "flux-3-video": Family(
        {
            "mode": "mode",
            "prompt": "prompt",
            # One is the first frame, two are both ends, more are spread evenly, as in the contract.
            "imageUrls": "keyframes",
            "resolution": translated("resolution", facts.RESOLUTIONS),
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "draft": "draft",
            "safetyTolerance": "safety_tolerance",
        },
        prepare=_with_its_mode,
    ),
}
