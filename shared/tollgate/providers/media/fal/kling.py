"""Kling on fal: each resolution is an endpoint; fields and ids from docs/providers/fal.md."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values
from tollgate.providers.mapping.kling_4 import capital, in_words, kind_of, tagged, without_ignored
from tollgate.providers.mapping.targets import as_text, first, ignored, one_each
from tollgate.providers.media.fal import facts
from tollgate.providers.runtime.base import Job, Mapped


def _tier_and_source(values: Values) -> str:
    return f"{values['resolution']}-{'image' if values.get('imageUrls') else 'text'}"


def _in_every_tier(images: FieldMap) -> Mapping[str, FieldMap]:
    """Return the targets for both jobs at each resolution; the shape is used only for text (VID-J)."""
    words: dict[str, FieldMap] = {
        "text": {"aspectRatio": "aspect_ratio"},
        "image": {"aspectRatio": ignored, **images},
    }
    return {f"{tier}-{job}": found for tier in facts.KLING_TIERS for job, found in words.items()}


_WORDS: FieldMap = {
    "prompt": "prompt",
    "duration": as_text("duration"),
    "resolution": ignored,
    "generateAudio": "generate_audio",
}
_KLING_3 = Family(
    _WORDS, _tier_and_source, _in_every_tier({"imageUrls": one_each("start_image_url", "end_image_url")})
)
_KLING_O3 = Family(
    _WORDS, _tier_and_source, _in_every_tier({"imageUrls": one_each("image_url", "end_image_url")})
)


def _kling_3(job: Job) -> Mapped:
    is_o3 = any(facts.O3_PATH in upstream for upstream in job.upstream.values())
    return (_KLING_O3 if is_o3 else _KLING_3)(job)


def _elements(elements: list[Mapping[str, Any]]) -> Body:
    """Return the elements with the names of their parts in Kling O3 on fal; for 4.0 they are INFERRED."""
    return {"elements": [_element(one) for one in elements]}


def _element(element: Mapping[str, Any]) -> Body:
    if "videoUrl" in element:
        return {"video_url": element["videoUrl"]}
    images = element["imageUrls"]
    return {"frontal_image_url": images[0], "reference_image_urls": images[1:] or images}


def _for_kling_4(values: Values) -> Values:
    """Return `values` with a start image and the descriptions of elements in the prompt: fal has no field."""
    notes = [
        f"{capital('element', number)}: {element['description']}"
        for number, element in enumerate(values.get("elements", []), 1)
        if "description" in element
    ]
    if notes or "startImageIndex" in values:
        # Then scenes are text too, because multi_prompt is not sent beside a prompt.
        spoken = in_words(values, capital)
        return {**spoken, "prompt": "\n".join([spoken["prompt"], *notes])}
    said = without_ignored(values)
    return {**said, "prompt": tagged(said["prompt"], capital)} if "prompt" in said else said


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "kling-3.0": _kling_3,
    "kling-3.0-turbo": Family(
        {name: word for name, word in _WORDS.items() if name != "generateAudio"},
        _tier_and_source,
        _in_every_tier({"imageUrls": one_each("image_url")}),
    ),
    "kling-motion-control": Family(
        {
            "prompt": "prompt",
            "imageUrls": first("image_url"),
            "videoUrls": first("video_url"),
            "characterOrientation": "character_orientation",
            "resolution": ignored,
        },
        lambda values: str(values["resolution"]),
    ),
    "kling-4.0": Family(
        {
            "prompt": "prompt",
            "multiShots": "multi_prompt",
            "resolution": "resolution",
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "generateAudio": "generate_audio",
            "keepAudio": "keep_audio",
            "videoMode": ignored,
            "startFrameUrl": "start_image_url",
            "keyframeUrls": "middle_image_urls",
            "endFrameUrl": "end_image_url",
            "imageUrls": "image_urls",
            "elements": _elements,
        },
        kind_of,
        {
            "reference": {"videoUrl": lambda url: {"video_urls": [url]}},
            "edit": {"videoUrl": "video_url"},
        },
        prepare=_for_kling_4,
    ),
}
