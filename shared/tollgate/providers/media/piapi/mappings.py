"""All mappings of the catalog that PiAPI has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.piapi import midjourney, videos

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {**midjourney.MAPPINGS, **videos.MAPPINGS}
