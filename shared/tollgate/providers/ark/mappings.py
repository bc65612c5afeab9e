"""All mappings of the catalog that ModelArk has."""

from collections.abc import Mapping

from tollgate.providers.ark import images, videos
from tollgate.providers.fields import Mapper

MAPPINGS: Mapping[str, Mapper] = {**images.MAPPINGS, **videos.MAPPINGS}
"""How each is said, by the name that the catalog's routes have."""
