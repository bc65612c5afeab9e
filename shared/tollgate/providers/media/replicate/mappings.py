"""FLUX 3 on Replicate; fields from its pages of the models' inputs (docs/providers/replicate.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.flux import FLUX_3_IMAGE
from tollgate.providers.mapping.targets import as_text

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "flux-3-image": FLUX_3_IMAGE,
    "flux-3-video": Family(
        {
            "prompt": "prompt",
            # One is the first frame, two are both ends, more are spread evenly, as in the contract.
            "imageUrls": "images",
            "videoUrl": "start_video",
            "resolution": "resolution",
            # An enum of texts, because it includes `auto`.
            "duration": as_text("duration"),
            "aspectRatio": "aspect_ratio",
            "draft": "draft",
            "safetyTolerance": "safety_tolerance",
        }
    ),
}
