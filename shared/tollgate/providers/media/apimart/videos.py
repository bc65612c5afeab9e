"""Videos on APIMart; fields and ids from its documentation (docs/providers/apimart.md).

The fields of Seedance 2 and of PixVerse are the contract's fields in snake case. From this, the names of
PixVerse's references and extension are INFERRED.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values
from tollgate.providers.mapping.frames import by_role
from tollgate.providers.mapping.grok import within_grok_bounds
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import INT32_MAX, accept_only, at_most, first, one_of
from tollgate.providers.media.apimart import facts

_SHAPED_BY = ("imageUrls", "firstFrameImage")


def _by_role(values: Values) -> Values:
    """Return all images as frames by role; an image without a role is the first (INFERRED for Seedance 1)."""
    found = by_role({**values, "generationType": "frame"})
    roles = {"firstFrame": "first_frame", "lastFrame": "last_frame"}
    images = [{"url": found[name], "role": role} for name, role in roles.items() if name in found]
    others = {name: value for name, value in found.items() if name not in roles}
    return {**others, **({"imageWithRoles": images} if images else {})}


def _seconds(value: int) -> Body:
    shortest, longest = facts.GROK_SECONDS
    if not shortest <= value <= longest:
        raise CannotMapError(f"{value} s, but only {shortest} to {longest} are possible")
    return {"duration": value}


def _shaped_by_its_image(values: Values) -> Values:
    """Return `values` without the shape of a video from an image, which is ignored (VID-J, VID-N)."""
    if not any(values.get(name) for name in _SHAPED_BY):
        return values
    return {name: value for name, value in values.items() if name not in ("aspectRatio", "size")}


_SEEDANCE: FieldMap = {
    "prompt": "prompt",
    "duration": "duration",
    "size": "size",
    "resolution": "resolution",
    "seed": "seed",
    "generateAudio": "generate_audio",
    "nsfwCheck": "nsfw_check",
    "returnLastFrame": "return_last_frame",
    "imageUrls": "image_urls",
    "imageWithRoles": "image_with_roles",
    "videoUrls": "video_urls",
    "audioUrls": "audio_urls",
    "tools": "tools",
    # Fields of Seedance 2.5.
    "omniReferenceTaskType": "omni_reference_task_type",
    "outputFormat": "output_format",
    "watermark": "watermark",
}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "seedance-2": Family(_SEEDANCE),
    "seedance-1.5-pro": Family(
        {
            "prompt": "prompt",
            "duration": "duration",
            "size": "aspect_ratio",
            "resolution": "resolution",
            "seed": "seed",
            "generateAudio": "audio",
            "cameraFixed": "camera_fixed",
            "imageWithRoles": "image_with_roles",
        },
        prepare=_by_role,
    ),
    "grok-imagine-video": Family(
        {
            "prompt": "prompt",
            "size": "size",
            "duration": _seconds,
            "resolution": "resolution",
            "urls": at_most("image_urls", facts.MAX_GROK_IMAGES),
        },
        prepare=within_grok_bounds,
    ),
    "kling-3.0-turbo": Family(
        {
            "prompt": at_most("prompt", facts.KLING_TURBO_PROMPT_CHARS),
            "resolution": one_of("resolution", "720p", "1080p"),
            "duration": "duration",
            "aspectRatio": "aspect_ratio",
            "imageUrls": first("first_frame_image"),
        },
        prepare=_shaped_by_its_image,
    ),
    "pixverse-v6": Family(
        {
            "prompt": "prompt",
            "resolution": "resolution",
            "duration": "duration",
            "size": "size",
            "seed": at_most("seed", INT32_MAX),
            "negativePrompt": "negative_prompt",
            "audio": "audio",
            "watermark": "watermark",
            "motionMode": accept_only("normal"),
            "generateMultiClipSwitch": "generate_multi_clip_switch",
            # "First image used" (VID-N).
            "imageUrls": lambda urls: {"image_urls": urls[:1]},
            "firstFrameImage": "first_frame_image",
            "lastFrameImage": "last_frame_image",
            "imgReferences": "img_references",
            "extendFromTaskId": "extend_from_task_id",
        },
        prepare=_shaped_by_its_image,
    ),
}
