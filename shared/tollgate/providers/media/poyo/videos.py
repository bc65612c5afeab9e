"""Videos on PoYo; fields and ids from docs/providers/poyo.md."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values, require
from tollgate.providers.mapping.frames import by_order, shaped_by_its_image
from tollgate.providers.mapping.grok import within_grok_bounds
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.keyframes import keyframes_or_frames, placed
from tollgate.providers.mapping.targets import SEED, accept_only, at_most, ignored, one_of, upper
from tollgate.providers.media.poyo import facts

_TIER = "resolution"


def _frames_in_order(values: Values) -> Values:
    """Return `values` with one or two frames as `imageUrls`, the first frame first.

    Raises `CannotMapError` without a prompt of the required length (docs/providers/poyo.md).
    """
    found = by_order(require(values, "prompt"))
    if len(found["prompt"]) < facts.SEEDANCE_MIN_PROMPT_CHARS:
        raise CannotMapError("a prompt that is too short")
    urls = [found[name] for name in ("firstFrame", "lastFrame") if name in found]
    others = {name: value for name, value in found.items() if name not in ("firstFrame", "lastFrame")}
    return {**others, **({"imageUrls": urls} if urls else {})}


def _as_long_as_its_source(values: Values) -> Values:
    """Return `values`; without the duration if there is a source video (docs/providers/poyo.md)."""
    if not values.get("referenceVideoUrls"):
        return values
    return {name: value for name, value in values.items() if name != "duration"}


def _silent_between_two_images(values: Values) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` for sound with an end image, which PoYo refuses."""
    if len(values.get("imageUrls", ())) > 1 and values.get("generateAudio"):
        raise CannotMapError("sound beside an end image")
    return values


def _first_and_end_image(urls: list[str]) -> Body:
    return {"image_urls": urls[:1], **({"end_image_url": urls[1]} if len(urls) > 1 else {})}


def _tier(values: Values) -> str:
    return str(values[_TIER])


_KLING: FieldMap = {
    "prompt": "prompt",
    "duration": "duration",
    "aspectRatio": "aspect_ratio",
    # Part of the id.
    "resolution": ignored,
    "generateAudio": "sound",
    "imageUrls": at_most("image_urls", 2),
}
_ONE_SHOT: Mapping[str, Any] = {"multi_shots": False}

# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "seedance-1.5-pro": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": "resolution",
            "duration": "duration",
            "generateAudio": "generate_audio",
            "cameraFixed": "fixed_lens",
            "imageUrls": "image_urls",
        },
        prepare=_frames_in_order,
    ),
    "grok-imagine-video": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "duration": "duration",
            "resolution": "resolution",
            "urls": at_most("image_urls", 1),
        },
        # It requires exactly one image (PoYo's API manual).
        prepare=lambda values: within_grok_bounds(require(values, "urls")),
    ),
    "gemini-omni": Family(
        {
            "prompt": "prompt",
            "imageUrls": at_most("image_urls", 1),
            "referenceVideoUrls": "video_urls",
            "aspectRatio": "aspect_ratio",
            "duration": "duration",
            "resolution": one_of("resolution", "720p", "1080p", "4k"),
        },
        prepare=_as_long_as_its_source,
    ),
    "flux-3-video": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "imageUrls": "image_urls",
            "videoUrl": "video_url",
            "draft": accept_only(False),
            "safetyTolerance": accept_only(facts.SAFETY_TOLERANCE),
        },
        keyframes_or_frames,
        {"keyframes": {"imageUrls": "keyframes"}},
        prepare=placed,
    ),
    "kling-3.0": Family(_KLING, _tier, fixed=_ONE_SHOT, prepare=shaped_by_its_image),
    "kling-3.0-turbo": Family(
        {
            **{name: word for name, word in _KLING.items() if name != "generateAudio"},
            "imageUrls": at_most("image_urls", 1),
        },
        _tier,
        prepare=shaped_by_its_image,
    ),
    "kling-2.6": Family(
        {
            **_KLING,
            "prompt": at_most("prompt", facts.KLING_26_PROMPT_CHARS),
            "resolution": accept_only("1080p"),
            "imageUrls": _first_and_end_image,
        },
        # It requires a shape also with an image.
        prepare=_silent_between_two_images,
    ),
    "kling-motion-control": Family(
        {
            "prompt": "prompt",
            "imageUrls": "image_urls",
            "videoUrls": "video_urls",
            "characterOrientation": "character_orientation",
            "resolution": "resolution",
        }
    ),
    "minimax-h3": Family(
        {
            "prompt": "prompt",
            "imageUrls": "reference_image_urls",
            "audioUrls": "reference_audio_urls",
            "duration": "duration",
            "resolution": upper("resolution"),
            # It has no field for the shape, and the shape of its results is not documented.
            "aspectRatio": accept_only("16:9"),
        }
    ),
    "wan-2.7-video": Family(
        {
            "prompt": "prompt",
            "imageUrls": "image_urls",
            "referenceImageUrls": "reference_image_urls",
            "referenceVideoUrls": "reference_video_urls",
            "audioUrl": "audio_url",
            "continueVideoUrl": "video_url",
            "editVideoUrl": "video_url",
            "referenceImageUrl": "reference_image_url",
            "size": "aspect_ratio",
            "resolution": "resolution",
            "duration": "duration",
            "multiShots": "multi_shots",
            "audioSetting": "audio_setting",
            "seed": SEED,
            "enableSafetyChecker": "enable_safety_checker",
        }
    ),
    "veo-3.1": Family(
        {
            "prompt": "prompt",
            "aspectRatio": "aspect_ratio",
            "resolution": "resolution",
            "urls": "image_urls",
            "generationType": "generation_type",
        }
    ),
    "sora-2-official": Family(
        {
            "prompt": "prompt",
            "aspectRatio": "aspect_ratio",
            "duration": "duration",
            "urls": at_most("image_urls", 1),
        }
    ),
}
