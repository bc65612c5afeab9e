"""Midjourney on APIMart: the contract's camel-case fields in snake case.

Source: docs/providers/apimart.md.

Each action is the last part of its path, and has its own fields. The caller has replaced the id of an earlier
task by APIMart's id.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import FieldMap, Mapper, map_fields, upstream_of
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import accept_only, as_text, ignored
from tollgate.providers.runtime.base import Job, Mapped

_SAME = (
    "size", "style", "version", "seed", "stylize", "chaos", "weird", "tile", "niji", "iw", "cw", "sw",
    "cref", "sref", "dref", "dw", "raw", "draft", "hd", "stop", "extra",
)  # fmt: skip
_ANY: FieldMap = {
    "action": ignored,
    "speed": "speed",
    # Only for a blend; the profile sets its default for every action.
    "dimensions": accept_only("SQUARE"),
}
_FLAGS: FieldMap = {
    **{name: name for name in _SAME},
    "prompt": "prompt",
    "imageUrls": "image_urls",
    "quality": as_text("quality"),
    "negativePrompt": "negative_prompt",
}
_EARLIER: FieldMap = {"parentTaskId": "task_id"}
_BUTTON: FieldMap = {**_EARLIER, "customId": "custom_id"}
_PICTURE: FieldMap = {**_BUTTON, "index": "index"}
_REMIX: FieldMap = {**_EARLIER, "index": "index", "prompt": "prompt"}

# The supported fields of each action, which has the same name at APIMart.
ACTIONS: Mapping[str, FieldMap] = {
    "imagine": {**_FLAGS, "repeat": "repeat"},
    "edits": _FLAGS,
    "blend": {"imageUrls": "image_urls", "dimensions": "dimensions", "size": "size"},
    "describe": {"imageUrls": "image_urls"},
    **dict.fromkeys(("upscale", "variation", "high-variation", "low-variation", "inpaint"), _PICTURE),
    "reroll": _BUTTON,
    "zoom": {**_PICTURE, "zoomRatio": "zoom_ratio"},
    "pan": {**_PICTURE, "direction": "direction"},
    "modal": {**_EARLIER, "prompt": "prompt", "maskUrl": "mask_url"},
    **dict.fromkeys(("remix-strong", "remix-subtle"), _REMIX),
}
_VIDEO: FieldMap = {
    **_EARLIER,
    "prompt": "prompt",
    "imageUrls": "image_urls",
    "index": "index",
    "videoType": "video_type",
    "animateMode": "animate_mode",
    "motion": "motion",
    "batchSize": "batch_size",
    "endUrl": "end_url",
}


def _image(job: Job) -> Mapped:
    name = job.values["action"]
    if name not in ACTIONS:
        raise CannotMapError(f"no path for the action {name}")
    return Mapped(f"{upstream_of(job, name)}/{name}", map_fields(job.values, {**_ANY, **ACTIONS[name]}))


def _video(job: Job) -> Mapped:
    return Mapped(upstream_of(job, "video"), map_fields(job.values, _VIDEO))


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"midjourney": _image, "midjourney-video": _video}
