"""All mappings of the catalog that PiAPI has."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.piapi import midjourney, videos

# How each is said, by the name that the catalog's routes have.
MAPPINGS: Mapping[str, Mapper] = {**midjourney.MAPPINGS, **videos.MAPPINGS}
