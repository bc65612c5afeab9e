"""Midjourney on PiAPI: flags are in the prompt, follow-ups name an earlier task (docs/providers/piapi.md).

PiAPI has follow-ups for one enlarged image, without an index: strong and subtle variations, pan, outpaint,
inpaint. So they do not support the contract's follow-ups on a grid of four images. Its variation requires a
prompt, which the contract does not have.
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

# The action has the same name at PiAPI. A follow-up has the speed of the earlier task.
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


# The mappers by the names in the catalog's routes; they return the whole body of the request.
MAPPINGS: Mapping[str, Mapper] = {"midjourney": _midjourney}
