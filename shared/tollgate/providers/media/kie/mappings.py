"""All mappings of the catalog that kie has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.kie import images, music, tools, veo, videos

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    **images.MAPPINGS,
    **videos.MAPPINGS,
    **veo.MAPPINGS,
    **music.MAPPINGS,
    **tools.MAPPINGS,
}
