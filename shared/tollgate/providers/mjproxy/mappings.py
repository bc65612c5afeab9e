"""Midjourney in the dialect: flags go into the prompt, follow-ups name an earlier task.

Left out, each for a reason: a blend, a description and a mask are sent as base64, and our input has URLs; all
other follow-ups press a button by an id of its own, which is known when the earlier task is done, and not to
this mapping; an earlier picture cannot be set in motion by its number.
"""

from collections.abc import Mapping

from tollgate.providers.base import Job, Mapped
from tollgate.providers.fields import (
    Body,
    Mapper,
    Word,
    Words,
    first,
    having,
    meaningless,
    only,
    say,
    upstream_of,
)
from tollgate.providers.images import CannotMapError
from tollgate.providers.midjourney import SAID_IN_PROMPT, prompt_of
from tollgate.providers.mjproxy import facts

_RATIO = {"size": facts.RATIO_FLAG}
# The speed is the path.
_ANY: Words = {"action": meaningless, "speed": meaningless, "dimensions": only("SQUARE")}
_SAID: dict[str, Word] = dict.fromkeys((*SAID_IN_PROMPT, *_RATIO), meaningless)
_IMAGINE: Words = {**_ANY, **_SAID, "prompt": meaningless}
_CHANGE: Words = {**_ANY, "parentTaskId": "taskId", "index": "index"}
_VIDEO: Words = {
    "prompt": "prompt",
    "imageUrls": first("image"),
    "motion": "motion",
    "videoType": only("vid_1.1_i2v_480"),
    "animateMode": only("manual"),
    "batchSize": only(1),
}


def _image(job: Job) -> Mapped:
    name, values = job.values["action"], job.values
    place = upstream_of(job, values["speed"])
    if name == "imagine":
        body = say(values, _IMAGINE)
        return _submit(place, "imagine", {**body, "prompt": prompt_of(values, _RATIO)})
    if name in facts.CHANGES:
        changed = {"action": facts.CHANGES[name], **say(values, _CHANGE)}
        return _submit(place, "change", changed)
    raise CannotMapError(f"no path for the action {name}")


def _video(job: Job) -> Mapped:
    body = say(having(job.values, "imageUrls"), _VIDEO)
    return _submit(upstream_of(job, "video"), "video", body)


def _submit(place: str, kind: str, body: Body) -> Mapped:
    return Mapped(f"{place}/submit/{kind}", body)


MAPPINGS: Mapping[str, Mapper] = {"midjourney": _image, "midjourney-video": _video}
"""How each is said: the path of the submit, and its body."""
