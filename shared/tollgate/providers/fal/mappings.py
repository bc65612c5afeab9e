"""All mappings of the catalog that fal has."""

from collections.abc import Mapping

from tollgate.providers.fal import images, kling, videos
from tollgate.providers.fields import Mapper

MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS, **kling.MAPPINGS}
"""How each is said, by the name that the catalog's routes have."""
