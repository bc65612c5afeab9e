"""FLUX 3 images with the vendor's fields (docs/providers/bfl.md, docs/providers/replicate.md)."""

from tollgate.providers.mapping.fields import Family
from tollgate.providers.mapping.targets import lower

FLUX_3_IMAGE = Family(
    {
        "prompt": "prompt",
        "size": "aspect_ratio",
        "resolution": lower("resolution"),
        "grounding": "grounding",
        "urls": "images",
    }
)
