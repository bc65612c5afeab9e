"""Videos on kie; fields and ids from docs/providers/kie.md and kie's documentation (`facts.py`).

The documentation has the fields of Wan 2.7 (docs/providers/kie.md#inferred), and Wan's seeds.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Family, FieldMap, Mapper, require, variant_if
from tollgate.providers.mapping.frames import (
    by_role,
    few_references,
    frames_or_references,
    shaped_by_its_image,
    source,
)
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import (
    INT32_MAX,
    accept_only,
    as_text,
    at_most,
    ignored,
    one_each,
    translated,
    upper,
)
from tollgate.providers.media.kie import facts
from tollgate.providers.runtime.base import Job, Mapped

_FROM_AN_IMAGE = variant_if("imageUrls", "image")
_SEED = at_most("seed", INT32_MAX)
_FRAMES: FieldMap = {"firstFrame": "first_frame_url", "lastFrame": "last_frame_url"}
_REFERENCES: FieldMap = {
    "imageUrls": "reference_image_urls",
    "videoUrls": "reference_video_urls",
    "audioUrls": "reference_audio_urls",
}


_WAN_27: FieldMap = {
    "prompt": "prompt",
    "resolution": "resolution",
    "duration": "duration",
    "seed": _SEED,
    "enableSafetyChecker": "nsfw_checker",
}
# By id, because the four jobs have different names for the same fields.
_WANS: Mapping[str, Family] = {
    "wan/2-7-text-to-video": Family({**_WAN_27, "audioUrl": "audio_url", "size": "ratio"}),
    "wan/2-7-image-to-video": Family(
        {
            **_WAN_27,
            "imageUrls": one_each("first_frame_url", "last_frame_url"),
            "continueVideoUrl": "first_clip_url",
            "audioUrl": "driving_audio_url",
        },
        prepare=lambda values: require(values, "prompt"),
    ),
    "wan/2-7-r2v": Family(
        {
            **_WAN_27,
            "referenceImageUrls": "reference_image",
            "referenceVideoUrls": "reference_video",
            "size": "aspect_ratio",
        },
        prepare=lambda values: few_references(require(values, "prompt"), facts.MAX_WAN_REFERENCES),
    ),
    "wan/2-7-videoedit": Family(
        {
            **_WAN_27,
            "editVideoUrl": "video_url",
            "referenceImageUrl": "reference_image",
            "audioSetting": translated("audio_setting", {"auto": "auto", "origin": "origin"}),
            "size": "aspect_ratio",
        }
    ),
}


def _wan(job: Job) -> Mapped:
    (upstream,) = job.upstream.values()
    if upstream not in _WANS:
        raise CannotMapError(f"no Wan is called {upstream}")
    return _WANS[upstream](job)


_KLING_3 = Family(
    {
        "prompt": "prompt",
        "resolution": translated("mode", facts.KLING_MODES),
        "duration": as_text("duration"),
        "aspectRatio": "aspect_ratio",
        "generateAudio": "sound",
        "imageUrls": "image_urls",
    },
    fixed={"multi_shots": False},
    prepare=shaped_by_its_image,
)
_KLING_O3 = Family(
    {
        "prompt": "prompt",
        "resolution": translated("resolution", {"720p": "720p", "1080p": "1080p", "4k": "4K"}),
        "duration": "duration",
        "aspectRatio": "aspect_ratio",
        "generateAudio": "audio",
        "imageUrls": "image_urls",
    },
    _FROM_AN_IMAGE,
    prepare=shaped_by_its_image,
)


def _kling_3(job: Job) -> Mapped:
    # Kling O3 has an id for each job, and Kling 3.0 has one for all jobs.
    return (_KLING_O3 if "text" in job.upstream else _KLING_3)(job)


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "seedance-2": Family(
        {
            "prompt": "prompt",
            "size": "aspect_ratio",
            "resolution": "resolution",
            "duration": "duration",
            "generateAudio": "generate_audio",
            **_FRAMES,
            **_REFERENCES,
            "tools": lambda _: {"web_search": True},
            "nsfwCheck": "nsfw_checker",
            "returnLastFrame": accept_only(False),
            "watermark": accept_only(False),
            "outputFormat": accept_only("mp4"),
            # References are always used as references.
            "omniReferenceTaskType": accept_only("auto", "reference"),
        },
        # A required field.
        fixed={"web_search": False},
        prepare=frames_or_references,
    ),
    "gemini-omni": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": as_text("duration"),
            "aspectRatio": "aspect_ratio",
            "imageUrls": one_each("first_frame_url", "last_frame_url"),
            "referenceImageUrls": "image_urls",
        },
    ),
    "grok-imagine-video": Family(
        {"prompt": "prompt", "size": "aspect_ratio", "duration": "duration", "resolution": "resolution"},
        variant_if("urls", "image"),
        {"image": {"urls": "image_urls", "duration": as_text("duration")}},
        fixed={"mode": "normal"},
    ),
    "kling-3.0": _kling_3,
    "kling-3.0-turbo": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": as_text("duration"),
            "aspectRatio": "aspect_ratio",
            "imageUrls": at_most("image_urls", 1),
        },
        _FROM_AN_IMAGE,
        prepare=shaped_by_its_image,
    ),
    "kling-2.6": Family(
        {
            "prompt": "prompt",
            "resolution": accept_only("1080p"),
            "duration": as_text("duration"),
            "aspectRatio": "aspect_ratio",
            "generateAudio": "sound",
            "imageUrls": at_most("image_urls", 1),
        },
        _FROM_AN_IMAGE,
        prepare=shaped_by_its_image,
    ),
    "kling-motion-control": Family(
        {
            "prompt": "prompt",
            "imageUrls": "input_urls",
            "videoUrls": "video_urls",
            "characterOrientation": "character_orientation",
            "resolution": "mode",
        }
    ),
    "minimax-h3": Family(
        {
            "prompt": at_most("prompt", facts.MINIMAX_PROMPT_CHARS),
            "resolution": upper("resolution"),
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "imageUrls": "reference_image_urls",
        },
        source,
    ),
    "pixverse-v6": Family(
        {
            "prompt": "prompt",
            "resolution": "quality",
            "duration": "duration",
            # "Effective only in text-to-video" (docs/contract.md#vid-n).
            "size": ignored,
            "audio": "generate_audio_switch",
            "generateMultiClipSwitch": "generate_multi_clip_switch",
            "seed": accept_only(0),
            "watermark": accept_only(False),
            "motionMode": accept_only("normal"),
        },
        _FROM_AN_IMAGE,
        {
            "text": {"size": "aspect_ratio"},
            # "First image used" (VID-N).
            "image": {"imageUrls": lambda urls: {"image_urls": urls[:1]}},
        },
    ),
    "wan-2.7-video": _wan,
    "wan-3.0": Family(
        {
            "prompt": "prompt",
            "resolution": upper("resolution"),
            "duration": "duration",
            "size": "aspect_ratio",
            "audio": "audio",
            **_FRAMES,
            **_REFERENCES,
            "seed": _SEED,
            "watermark": accept_only(False),
        },
        prepare=by_role,
    ),
    "sora-2": Family(
        {
            "prompt": "prompt",
            "aspectRatio": translated("aspect_ratio", {"16:9": "landscape", "9:16": "portrait"}),
            "duration": as_text("n_frames"),
            "urls": "image_urls",
        },
        variant_if("urls", "image"),
    ),
}
