"""FLUX 3 images at those who take its maker's words (docs/providers/bfl.md, docs/providers/replicate.md)."""

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
