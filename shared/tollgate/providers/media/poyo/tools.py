"""Talking heads and 3D on PoYo; fields and ids from docs/providers/poyo.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.hunyuan import hunyuan_3d
from tollgate.providers.mapping.targets import first, ignored

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "kling-avatar": Family(
        {
            "imageUrls": "image_urls",
            "audioUrls": first("audio_url"),
            "prompt": "prompt",
            # Part of the id.
            "quality": ignored,
        },
        lambda values: str(values["quality"]),
    ),
    "hunyuan-3d": hunyuan_3d("image_urls"),
}
