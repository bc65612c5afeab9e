"""Images and videos at Google (docs/providers/google.md).

Images are sent by URL, together with their type. URLs that do not show the type are left to other providers.
Videos cannot be sent by URL, so edits and references with a video are left to other providers too.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tollgate.providers.mapping.fields import Family, Mapper, Values
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import at_most_bytes, ignored, translated
from tollgate.providers.media.google import facts
from tollgate.providers.runtime.base import Job, Mapped

# A prompt costs $0.50 to $2 per 1M tokens too. 1,800 are in the prices, with three bytes each (INFERRED).
_MAX_PROMPT_BYTES = 5_400

_PICTURE = Family(
    {
        "prompt": at_most_bytes("text", _MAX_PROMPT_BYTES),
        "size": "aspectRatio",
        "resolution": translated("imageSize", facts.IMAGE_SIZES),
        "urls": "references",
    }
)
_VIDEO = Family(
    {
        "prompt": "text",
        "imageUrls": "image",
        "referenceImageUrls": "image",
        "aspectRatio": "aspect_ratio",
        "resolution": "resolution",
        "duration": lambda seconds: {"duration": f"{seconds}s"},
    },
)
_VEO = Family(
    {
        "prompt": "prompt",
        "aspectRatio": "aspectRatio",
        "resolution": "resolution",
        # For images, which the API takes only as bytes: they are left to other providers.
        "generationType": ignored,
    }
)


def _image(job: Job) -> Mapped:
    """Return the body of `generateContent`."""
    mapped = _PICTURE(job)
    said = dict(mapped.body)
    parts: list[dict[str, Any]] = [{"text": said.pop("text")}]
    parts += [{"fileData": {"fileUri": url, "mimeType": _type_of(url)}} for url in said.pop("references", [])]
    config = {"responseModalities": ["TEXT", "IMAGE"], "imageConfig": said}
    body = {"contents": [{"role": "user", "parts": parts}], "generationConfig": config}
    return Mapped(mapped.upstream, body)


def _interaction(job: Job) -> Mapped:
    """Return the body of an interaction for a video, in the background because it takes minutes.

    Two `imageUrls` are the first and the last frame.
    """
    mapped = _VIDEO(job)
    said = dict(mapped.body)
    images = [{"type": "image", "uri": url, "mime_type": _type_of(url)} for url in said.pop("image", [])]
    body = {
        "model": mapped.upstream,
        "input": [{"type": "user_input", "content": [*images, {"type": "text", "text": said.pop("text")}]}],
        "generation_config": {"video_config": {"task": _task(job.values)}},
        "response_format": {"type": "video", "delivery": "uri", **said},
        "background": True,
    }
    return Mapped(mapped.upstream, body)


def _operation(job: Job) -> Mapped:
    """Return the body of `predictLongRunning`."""
    mapped = _VEO(job)
    said = dict(mapped.body)
    prompt = said.pop("prompt")
    parameters = {**said, "durationSeconds": facts.VEO_SECONDS, "sampleCount": 1}
    return Mapped(mapped.upstream, {"instances": [{"prompt": prompt}], "parameters": parameters})


def _task(values: Values) -> str:
    if values.get("referenceImageUrls"):
        return "reference_to_video"
    return "image_to_video" if values.get("imageUrls") else "text_to_video"


def _type_of(url: str) -> str:
    suffix = urlsplit(url).path.rpartition(".")[2].lower()
    if suffix not in facts.MEDIA_TYPES:
        raise CannotMapError("an address that does not tell its type")
    return facts.MEDIA_TYPES[suffix]


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "nano-banana": _image,
    "gemini-omni": _interaction,
    "veo-3.1": _operation,
}
