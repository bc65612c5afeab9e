"""FLUX 3 and lip-sync on Replicate; fields from its pages of inputs (docs/providers/replicate.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.flux import FLUX_3_IMAGE
from tollgate.providers.mapping.targets import as_text, first, ignored

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "flux-3-image": FLUX_3_IMAGE,
    "lip-sync": Family(
        {
            "videoUrls": first("video"),
            "audioUrls": first("audio"),
            "syncMode": "sync_mode",
            # Part of the id.
            "quality": ignored,
        },
        lambda values: str(values["quality"]),
    ),
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
