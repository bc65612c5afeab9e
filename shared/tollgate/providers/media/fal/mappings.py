"""All mappings of the catalog that fal has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.fal import images, kling, tools, videos

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS, **kling.MAPPINGS, **tools.MAPPINGS}
