"""Work on the customer's files at fal, such as upscaling; fields and ids from docs/providers/fal.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.targets import first, one_of

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "upscale-image": Family(
        {"imageUrls": first("image_url"), "upscaleFactor": one_of("upscale_factor", 1, 2, 4)}
    ),
}
