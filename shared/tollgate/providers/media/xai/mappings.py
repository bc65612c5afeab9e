"""Images and videos of Grok Imagine at xAI (docs/providers/xai.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper
from tollgate.providers.mapping.grok import within_grok_bounds

_IMAGE: FieldMap = {
    "prompt": "prompt",
    "size": "aspect_ratio",
    "urls": lambda urls: {"image": {"url": urls[0], "type": "image_url"}},
}


def _references(urls: list[str]) -> Body:
    """Return one image as the start, or several as references."""
    if len(urls) == 1:
        return {"image": {"url": urls[0]}}
    return {"reference_images": [{"url": url} for url in urls]}


IMAGES: Mapping[str, Mapper] = {
    "grok-imagine-image": Family(_IMAGE),
    # The quality and the resolution of its price in the catalog.
    "grok-imagine-image-2.0": Family(_IMAGE, fixed={"quality": "low", "resolution": "1k"}),
}
VIDEOS: Mapping[str, Mapper] = {
    "grok-imagine-video": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "duration": "duration",
            "resolution": "resolution",
            "urls": _references,
        },
        prepare=within_grok_bounds,
    ),
}
# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {**IMAGES, **VIDEOS}
