"""Work on the customer's files at kie, such as upscaling; fields and ids from docs/providers/kie.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.targets import as_text, first

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "upscale-image": Family({"imageUrls": first("image_url"), "upscaleFactor": as_text("upscale_factor")}),
}
