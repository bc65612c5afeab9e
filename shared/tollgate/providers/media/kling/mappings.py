"""Videos at Kling (docs/providers/kling.md): 3.0 has the model in the path, 2.6 in the body."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Body, Family, Mapper, variant_if
from tollgate.providers.mapping.frames import shaped_by_its_image
from tollgate.providers.mapping.targets import as_text, first, one_each, translated
from tollgate.providers.media.kling import facts
from tollgate.providers.runtime.base import Job, Mapped

_FROM_AN_IMAGE = variant_if("imageUrls", "image")
_CONTENTS = ("first_frame", "last_frame", "image", "video")
_VIDEO = Family(
    {
        "prompt": "prompt",
        "resolution": "resolution",
        "duration": "duration",
        "aspectRatio": "aspect_ratio",
        "generateAudio": lambda wanted: {"audio": "native" if wanted else "off"},
        "imageUrls": one_each("first_frame", "last_frame"),
    },
    _FROM_AN_IMAGE,
    prepare=shaped_by_its_image,
)
_MOTION = Family(
    {
        "prompt": "prompt",
        "imageUrls": first("image"),
        "videoUrls": first("video"),
        "characterOrientation": "character_orientation",
        "resolution": "resolution",
    }
)
_CLASSIC = Family(
    {
        "prompt": "prompt",
        "resolution": translated("mode", facts.CLASSIC_MODES),
        "duration": as_text("duration"),
        "aspectRatio": "aspect_ratio",
        "generateAudio": lambda wanted: {"sound": "on" if wanted else "off"},
        "imageUrls": one_each("image", "image_tail"),
    },
    _FROM_AN_IMAGE,
    prepare=shaped_by_its_image,
)


def _video(job: Job) -> Mapped:
    """Return a video of 3.0. Without images the body is flat; with images `contents` includes the prompt."""
    mapped = _VIDEO(job)
    if job.values.get("imageUrls"):
        return Mapped(mapped.upstream, _with_contents(mapped.body))
    settings = {name: value for name, value in mapped.body.items() if name != "prompt"}
    return Mapped(mapped.upstream, {"prompt": mapped.body["prompt"], "settings": settings})


def _motion(job: Job) -> Mapped:
    mapped = _MOTION(job)
    return Mapped(mapped.upstream, _with_contents(mapped.body))


def _with_contents(said: Mapping[str, Any]) -> Body:
    prompt = [{"type": "prompt", "text": said["prompt"]}] if "prompt" in said else []
    media = [{"type": name, "url": said[name]} for name in _CONTENTS if name in said]
    settings = {name: value for name, value in said.items() if name not in ("prompt", *_CONTENTS)}
    return {"contents": [*prompt, *media], "settings": settings}


def _classic(job: Job) -> Mapped:
    """Return a video of an older model, whose name is in the body."""
    mapped = _CLASSIC(job)
    path = facts.IMAGE_PATH if job.values.get("imageUrls") else facts.TEXT_PATH
    return Mapped(path, {"model_name": mapped.upstream, **mapped.body})


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "kling-3.0": _video,
    "kling-3.0-turbo": _video,
    "kling-motion-control": _motion,
    "kling-2.6": _classic,
}
