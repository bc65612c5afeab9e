"""Midjourney on PiAPI: flags go into the prompt, follow-ups name an earlier task (docs/providers/piapi.md).

What PiAPI does to one enlarged image only (strong and subtle variations, pan, outpaint, inpaint) takes no
index, so our follow-ups on one of four images have no words for it; its variation wants a prompt besides,
which the contract's has not.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import FieldMap, FieldTarget, Mapper, map_fields, upstream_of
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.midjourney import SAID_IN_PROMPT, prompt_of
from tollgate.providers.mapping.targets import accept_only, as_text, ignored, one_each
from tollgate.providers.media.piapi import facts
from tollgate.providers.runtime.base import Job, Mapped

_ANY: FieldMap = {"action": ignored, "dimensions": accept_only("SQUARE"), "speed": "process_mode"}
_FOLLOW_UP: FieldMap = {**_ANY, "parentTaskId": "origin_task_id", "speed": ignored}
_ALREADY_SAID: dict[str, FieldTarget] = dict.fromkeys(SAID_IN_PROMPT, ignored)

# By our action, which is also its name there. The speed of a follow-up is that of the earlier task.
ACTIONS: Mapping[str, FieldMap] = {
    "imagine": {**_ANY, **_ALREADY_SAID, "prompt": "prompt", "size": "aspect_ratio"},
    "describe": {**_ANY, "imageUrls": one_each("image_url")},
    "upscale": {**_FOLLOW_UP, "index": as_text("index")},
    "reroll": _FOLLOW_UP,
}


def _midjourney(job: Job) -> Mapped:
    name = job.values["action"]
    if name not in ACTIONS:
        raise CannotMapError(f"no task type for the action {name}")
    said = map_fields(job.values, ACTIONS[name])
    if "prompt" in said:
        said["prompt"] = prompt_of(job.values)
    model = upstream_of(job, name)
    return Mapped(model, {"model": facts.MIDJOURNEY, "task_type": name, "input": said})


# How each mapping of the catalog is said on PiAPI: the whole body of the request.
MAPPINGS: Mapping[str, Mapper] = {"midjourney": _midjourney}
