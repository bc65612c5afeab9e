"""All mappings of the catalog that kie has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.kie import images, music, videos

# How each is said, by the name that the catalog's routes have.
MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS, **music.MAPPINGS}
