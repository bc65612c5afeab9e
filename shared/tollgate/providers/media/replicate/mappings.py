"""FLUX 3 on Replicate; fields from its own pages of the models' inputs (docs/providers/replicate.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.flux import FLUX_3_IMAGE
from tollgate.providers.mapping.targets import as_text

# How each mapping of the catalog is said on Replicate.
MAPPINGS: Mapping[str, Mapper] = {
    "flux-3-image": FLUX_3_IMAGE,
    "flux-3-video": Family(
        {
            "prompt": "prompt",
            # One starts it, two are its ends, more are spread evenly, as the contract has them.
            "imageUrls": "images",
            "videoUrl": "start_video",
            "resolution": "resolution",
            # An enum of texts, as it has `auto` too.
            "duration": as_text("duration"),
            "aspectRatio": "aspect_ratio",
            "draft": "draft",
            "safetyTolerance": "safety_tolerance",
        }
    ),
}
