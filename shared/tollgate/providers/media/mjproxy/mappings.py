"""Midjourney in the dialect: flags are in the prompt, follow-ups name an earlier task.

Some actions are left out. A blend, a description and a mask need base64, but Tollgate's input has URLs. All
other follow-ups press a button by an id, which is known only after the earlier task, and not to this mapping.
A video cannot start from an earlier image by its number.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import (
    Body,
    FieldMap,
    FieldTarget,
    Mapper,
    map_fields,
    require,
    upstream_of,
)
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.midjourney import SAID_IN_PROMPT, prompt_of
from tollgate.providers.mapping.targets import accept_only, first, ignored
from tollgate.providers.media.mjproxy import facts
from tollgate.providers.runtime.base import Job, Mapped

_RATIO = {"size": facts.RATIO_FLAG}
# The speed is the path.
_ANY: FieldMap = {"action": ignored, "speed": ignored, "dimensions": accept_only("SQUARE")}
_SAID: dict[str, FieldTarget] = dict.fromkeys((*SAID_IN_PROMPT, *_RATIO), ignored)
_IMAGINE: FieldMap = {**_ANY, **_SAID, "prompt": ignored}
_CHANGE: FieldMap = {**_ANY, "parentTaskId": "taskId", "index": "index"}
_VIDEO: FieldMap = {
    "prompt": "prompt",
    "imageUrls": first("image"),
    "motion": "motion",
    "videoType": accept_only("vid_1.1_i2v_480"),
    "animateMode": accept_only("manual"),
    "batchSize": accept_only(1),
}


def _image(job: Job) -> Mapped:
    name, values = job.values["action"], job.values
    place = upstream_of(job, values["speed"])
    if name == "imagine":
        body = map_fields(values, _IMAGINE)
        return _submit(place, "imagine", {**body, "prompt": prompt_of(values, _RATIO)})
    if name in facts.CHANGES:
        changed = {"action": facts.CHANGES[name], **map_fields(values, _CHANGE)}
        return _submit(place, "change", changed)
    raise CannotMapError(f"no path for the action {name}")


def _video(job: Job) -> Mapped:
    body = map_fields(require(job.values, "imageUrls"), _VIDEO)
    return _submit(upstream_of(job, "video"), "video", body)


def _submit(place: str, kind: str, body: Body) -> Mapped:
    return Mapped(f"{place}/submit/{kind}", body)


# The path of the submit, and its body.
MAPPINGS: Mapping[str, Mapper] = {"midjourney": _image, "midjourney-video": _video}
