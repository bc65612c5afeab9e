"""Images on APIMart; fields and ids from docs/providers/apimart.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "grok-imagine-image": Family({"prompt": "prompt", "size": "size"}),
}
