"""Kling 4.0, upscaling and background removal on WaveSpeed (docs/providers/wavespeed.md)."""

from collections.abc import Mapping
from functools import partial

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper
from tollgate.providers.mapping.kling_4 import capital, in_words, kind_of
from tollgate.providers.mapping.targets import accept_only, first, ignored

_WITH_VIDEO: FieldMap = {"imageUrls": "images", "keepAudio": "keep_original_sound"}


def _video(url: str) -> Body:
    return {"videos": [url]}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "upscale-video": Family({"videoUrls": first("video"), "resolution": "target_resolution"}),
    "cutout": Family({"imageUrls": first("image")}, fixed={"preserve_alpha": True}),
    # From text only. It has one resolution and no field for it.
    "kling-4.0-flash": Family(
        {
            "prompt": "prompt",
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "resolution": accept_only("720p"),
        },
        prepare=partial(in_words, tag=capital),
    ),
    "kling-4.0": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "videoMode": ignored,
            # Kling 4.0 always has sound.
            "generateAudio": accept_only(True),
        },
        kind_of,
        {
            "image": {"startFrameUrl": "image", "keyframeUrls": "keyframes", "endFrameUrl": "last_image"},
            "reference": {**_WITH_VIDEO, "videoUrl": _video},
            "edit": {**_WITH_VIDEO, "videoUrl": "video"},
        },
        prepare=partial(in_words, tag=capital),
    ),
}
