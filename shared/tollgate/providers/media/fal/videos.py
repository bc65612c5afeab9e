"""Videos on fal, except Kling; fields and ids from docs/providers/fal.md."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import DEFAULT, Body, Family, Mapper, Values, require
from tollgate.providers.mapping.frames import by_order, by_role, source
from tollgate.providers.mapping.grok import within_grok_bounds
from tollgate.providers.mapping.keyframes import keyframes_or_frames, placed
from tollgate.providers.mapping.targets import (
    accept_only,
    as_text,
    first,
    ignored,
    one_each,
    one_of,
    translated,
    upper,
)
from tollgate.providers.media.fal import facts
from tollgate.providers.runtime.base import Job, Mapped

_SIZES = {size: size for size in ("16:9", "9:16", "1:1", "4:3", "3:4", "21:9")} | {"adaptive": "auto"}
_TASKS: Mapping[str, Body] = {"auto": {}, "reference": {"task": "reference"}, "extend": {"task": "extension"}}
_REFERENCES = {"imageUrls": "image_urls", "videoUrls": "video_urls", "audioUrls": "audio_urls"}
_FRAMES_ALONE = 2
_NEED_PROMPT = {"editVideoUrl", "referenceImageUrls", "referenceVideoUrls"}


def _veo_source(values: Values) -> str:
    count = len(values.get("urls", []))
    if count and (values.get("generationType") == "reference" or count > _FRAMES_ALONE):
        return "reference"
    return ("text", "image", "frames")[count]


def _grok_source(values: Values) -> str:
    count = len(values.get("urls", []))
    return ("text", "image")[count] if count <= 1 else "reference"


def _omni_source(values: Values) -> str:
    if values.get("referenceImageUrls"):
        return "reference"
    if values.get("referenceVideoUrls"):
        return "edit"
    return "image" if values.get("imageUrls") else "text"


def _as_long_as_its_source(values: Values) -> Values:
    """Return `values` without the duration beside a source video, which the contract ignores (VID-H)."""
    if not values.get("referenceVideoUrls"):
        return values
    return {name: value for name, value in values.items() if name != "duration"}


def _pixverse_source(values: Values) -> str:
    if values.get("firstFrameImage"):
        return "transition"
    return "image" if values.get("imageUrls") else "text"


_GROK = Family(
    {"prompt": "prompt", "size": "aspect_ratio", "duration": "duration", "resolution": "resolution"},
    _grok_source,
    {
        "image": {"urls": first("image_url")},
        # The name of the array is from fal's page of the endpoint.
        "reference": {"urls": "reference_image_urls"},
    },
    prepare=within_grok_bounds,
)


def _grok(job: Job) -> Mapped:
    mapped = _GROK(job)
    # A video of Grok 1.5 has the shape of its image: the endpoint has no field for another.
    shapeless = "aspect_ratio" if mapped.upstream.endswith(facts.GROK_15_IMAGE_PATH) else None
    return Mapped(mapped.upstream, {name: value for name, value in mapped.body.items() if name != shapeless})


_FLUX = Family(
    {
        "prompt": "prompt",
        "resolution": "resolution",
        "duration": "duration",
        "aspectRatio": "aspect_ratio",
        "safetyTolerance": "safety_tolerance",
        "videoUrl": "video_url",
        # Part of the id.
        "draft": ignored,
    },
    keyframes_or_frames,
    {
        "image": {"imageUrls": first("image_url")},
        # The names of the two frames are from fal's page of the endpoint.
        "frames": {"imageUrls": one_each("start_image_url", "end_image_url")},
        "keyframes": {"imageUrls": "keyframes"},
    },
    prepare=placed,
)


def _flux(job: Job) -> Mapped:
    mapped = _FLUX(job)
    path = facts.DRAFT_PATH if job.values["draft"] else ""
    return Mapped(mapped.upstream + path, mapped.body)


_MINIMAX = Family(
    {
        "prompt": "prompt",
        "aspectRatio": "aspect_ratio",
        "resolution": upper("resolution"),
        "duration": "duration",
        "seed": "seed",
        "imageUrls": "reference_image_urls",
        "audioUrls": "reference_audio_urls",
    },
    source,
)


def _minimax(job: Job) -> Mapped:
    mapped = _MINIMAX(job)
    # H3 Max requires a choice whether to change the prompt; the customer's prompt is kept.
    told: dict[str, Any] = (
        {"prompt_expansion_mode": "disabled"} if facts.H3_MAX_PATH in f"/{mapped.upstream}" else {}
    )
    return Mapped(mapped.upstream, mapped.body | told)


def _wan_27_source(values: Values) -> str:
    """Return the variant of the endpoint: for references, if the input has any."""
    is_reference = values.get("referenceImageUrls") or values.get("referenceVideoUrls")
    return "reference" if is_reference else DEFAULT


def _wan_27_prompted(values: Values) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` for an edit or references without a prompt."""
    return require(values, "prompt") if _NEED_PROMPT & values.keys() else values


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "seedance-1.5-pro": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": "resolution",
            # Text, like fal's enums; a server that requires a number also reads it from text.
            "duration": as_text("duration"),
            "generateAudio": "generate_audio",
            "cameraFixed": "camera_fixed",
            "seed": "seed",
        },
        source,
        {"image": {"firstFrame": "image_url", "lastFrame": "end_image_url"}},
        fixed={"prompt": ""},
        prepare=by_order,
    ),
    "seedance-2": Family(
        {
            "prompt": "prompt",
            "size": translated("aspect_ratio", _SIZES),
            "resolution": "resolution",
            "duration": as_text("duration"),
            "generateAudio": "generate_audio",
            "nsfwCheck": accept_only(False),
            "returnLastFrame": accept_only(False),
            "watermark": accept_only(False),
            "outputFormat": accept_only("mp4"),
            "omniReferenceTaskType": accept_only("auto", "reference"),
        },
        source,
        {
            "image": {"firstFrame": "image_url", "lastFrame": "end_image_url"},
            "reference": {**_REFERENCES, "omniReferenceTaskType": lambda value: _TASKS[value]},
        },
        fixed={"prompt": ""},
        prepare=by_role,
    ),
    "grok-imagine-video": _grok,
    "gemini-omni": Family(
        {
            "prompt": "prompt",
            "aspectRatio": "aspect_ratio",
            "duration": "duration",
            "resolution": "resolution",
        },
        _omni_source,
        {
            "image": {"imageUrls": one_each("image_url", "end_image_url")},
            "reference": {"referenceImageUrls": "image_urls", "referenceVideoUrls": "reference_video_urls"},
            "edit": {"referenceVideoUrls": first("video_url")},
        },
        prepare=_as_long_as_its_source,
    ),
    "flux-3-video": _flux,
    "minimax-h3": _minimax,
    "pixverse-v6": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": "duration",
            # "Effective only in text-to-video" (docs/contract.md#vid-n).
            "size": ignored,
            "seed": "seed",
            "negativePrompt": "negative_prompt",
            "audio": "generate_audio_switch",
            "watermark": accept_only(False),
            "motionMode": accept_only("normal"),
            "generateMultiClipSwitch": accept_only(False),
        },
        _pixverse_source,
        {
            "text": {"size": "aspect_ratio"},
            "image": {"imageUrls": first("image_url")},
            "transition": {"firstFrameImage": "first_image_url", "lastFrameImage": "end_image_url"},
        },
    ),
    "wan-2.7-video": Family(
        {
            "prompt": "prompt",
            "imageUrls": one_each("image_url", "end_image_url"),
            "continueVideoUrl": "video_url",
            "editVideoUrl": "video_url",
            "referenceImageUrl": "reference_image_url",
            "audioUrl": "audio_url",
            "audioSetting": one_of("audio_setting", "auto", "origin"),
            "size": "aspect_ratio",
            "resolution": "resolution",
            "duration": "duration",
            "seed": "seed",
        },
        _wan_27_source,
        {
            "reference": {
                "referenceImageUrls": "reference_image_urls",
                "referenceVideoUrls": "reference_video_urls",
                "multiShots": "multi_shots",
            }
        },
        prepare=_wan_27_prompted,
    ),
    "wan-3.0": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": "resolution",
            "duration": "duration",
            "audio": "audio",
            "seed": "seed",
            "watermark": accept_only(False),
        },
        source,
        {
            "image": {"firstFrame": "start_image_url", "lastFrame": "end_image_url"},
            "reference": {
                "imageUrls": "reference_image_urls",
                "videoUrls": "reference_video_urls",
                "audioUrls": "reference_audio_urls",
            },
        },
        prepare=by_role,
    ),
    "veo-3.1": Family(
        {
            "prompt": "prompt",
            "aspectRatio": "aspect_ratio",
            "resolution": "resolution",
            # Part of the id.
            "generationType": ignored,
        },
        _veo_source,
        {
            "image": {"urls": first("image_url")},
            "frames": {"urls": one_each("first_frame_url", "last_frame_url")},
            "reference": {"urls": "image_urls"},
        },
        fixed={"duration": "8s", "generate_audio": True},
    ),
}
