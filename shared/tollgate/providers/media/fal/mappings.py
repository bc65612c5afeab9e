"""All mappings of the catalog that fal has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.fal import images, kling, videos

# How each is said, by the name that the catalog's routes have.
MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS, **kling.MAPPINGS}
