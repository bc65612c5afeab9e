"""All mappings of the catalog that MuAPI has (docs/providers/muapi.md; its pages of the models)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, Mapper
from tollgate.providers.media.muapi import kling

_SQUARE = "1:1"


def _shape(size: str) -> Body:
    """Return the shape; `auto` is square without an input image (BFL's documentation of FLUX 3)."""
    return {"aspect_ratio": _SQUARE if size == "auto" else size}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    **kling.MAPPINGS,
    "flux-3-image": Family({"prompt": "prompt", "size": _shape, "resolution": "resolution"}),
}
