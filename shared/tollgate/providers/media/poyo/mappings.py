"""All mappings of the catalog that PoYo has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.poyo import images, music, videos

# How each is said, by the name that the catalog's routes have.
MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS, **music.MAPPINGS}
