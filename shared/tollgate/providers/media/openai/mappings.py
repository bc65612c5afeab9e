"""Images of GPT Image at OpenAI (docs/providers/openai.md)."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Body, Family, Mapper
from tollgate.providers.mapping.gpt_image import PROMPT, QUALITY, gpt_quality, gpt_sized


def _size(size: Any) -> Body:
    return {"size": size if isinstance(size, str) else f"{size['width']}x{size['height']}"}


def _references(urls: list[str]) -> Body:
    return {"images": [{"image_url": url} for url in urls]}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "gpt-image": Family(
        {
            "prompt": PROMPT,
            "imageSize": _size,
            "urls": _references,
            "quality": gpt_quality,
            "outputFormat": "output_format",
            "outputCompression": "output_compression",
            "moderation": "moderation",
        },
        fixed={"quality": QUALITY},
        prepare=gpt_sized,
    ),
}
