"""Images on APIMart; fields and ids from docs/providers/apimart.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper

# How each mapping of the catalog is said on APIMart.
MAPPINGS: Mapping[str, Mapper] = {
    "grok-imagine-image": Family({"prompt": "prompt", "size": "size"}),
}
