"""All mappings of the catalog that DashScope has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.dashscope import images, videos

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS}
