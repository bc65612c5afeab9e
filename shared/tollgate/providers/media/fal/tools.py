"""Work on the customer's files, and 3D, at fal; fields and ids from docs/providers/fal.md."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, Mapper
from tollgate.providers.mapping.hunyuan import hunyuan_3d
from tollgate.providers.mapping.targets import first, ignored, one_of, translated

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "upscale-image": Family(
        {"imageUrls": first("image_url"), "upscaleFactor": one_of("upscale_factor", 1, 2, 4)}
    ),
    "upscale-video": Family({"videoUrls": first("video_url"), "resolution": "target_resolution"}),
    "cutout": Family({"imageUrls": first("image_url")}),
    "kling-avatar": Family(
        {
            "imageUrls": first("image_url"),
            "audioUrls": first("audio_url"),
            "prompt": "prompt",
            # Part of the id.
            "quality": ignored,
        },
        lambda values: str(values["quality"]),
    ),
    "lip-sync": Family(
        {
            "videoUrls": first("video_url"),
            "audioUrls": first("audio_url"),
            "syncMode": "sync_mode",
            "quality": translated("model", {"standard": "lipsync-2", "pro": "lipsync-2-pro"}),
        }
    ),
    "hunyuan-3d": hunyuan_3d(first("input_image_url")),
}
