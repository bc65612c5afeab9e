"""All mappings of the catalog that PoYo has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.poyo import images, music, tools, videos

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    **images.MAPPINGS,
    **videos.MAPPINGS,
    **music.MAPPINGS,
    **tools.MAPPINGS,
}
