"""FLUX 3 Klein on MuAPI (docs/providers/muapi.md; its own page of the model)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, Mapper

_SQUARE = "1:1"


def _shape(size: str) -> Body:
    """Say a shape; `auto` is square where there is no image to follow (BFL's documentation of FLUX 3)."""
    return {"aspect_ratio": _SQUARE if size == "auto" else size}


# How each mapping of the catalog is said on MuAPI.
MAPPINGS: Mapping[str, Mapper] = {
    "flux-3-image": Family({"prompt": "prompt", "size": _shape, "resolution": "resolution"}),
}
