"""Suno on kie, which speaks sunoapi.org's dialect (docs/providers/kie.md#music): a path for each action.

An earlier task is named by kie's own id here: who makes the job puts it in the place of ours.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import (
    Body,
    FieldMap,
    FieldTarget,
    Mapper,
    Values,
    map_fields,
    upstream_of,
)
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.suno import WITHOUT_ENGINE, Action
from tollgate.providers.mapping.targets import ignored, translated
from tollgate.providers.media.kie import facts
from tollgate.providers.runtime.base import Job, Mapped

_ENGINE: FieldTarget = translated("model", facts.MUSIC_ENGINES)
_SUNG: FieldMap = {
    "mv": _ENGINE,
    "prompt": "prompt",
    "title": "title",
    "styles": "style",
    "negativeTags": "negativeTags",
    "styleWeight": "styleWeight",
    "weirdnessConstraint": "weirdnessConstraint",
    "audioWeight": "audioWeight",
    "vocalGender": translated("vocalGender", facts.VOCAL_GENDERS),
}
_TRACK: FieldMap = {"parentTaskId": "taskId", "audioId": "audioId"}
_NEEDS_TRACK = ("taskId", "audioId")


def _of_a_track(**fixed: str) -> Action:
    """Return an action that takes a track alone; `fixed` is said besides."""
    return Action({**_TRACK, "action": lambda _: dict(fixed)}, _NEEDS_TRACK)


# By our action.
ACTIONS: Mapping[str, Action] = {
    "music": Action({**_SUNG, "instrumental": "instrumental"}, switch="customMode"),
    "cover": Action(
        {**_SUNG, "instrumental": "instrumental", "audioUrl": "uploadUrl"}, ("uploadUrl",), "customMode"
    ),
    "extend": Action(
        {**_SUNG, "parentTaskId": ignored, "audioId": "audioId", "startS": "continueAt"},
        ("audioId",),
        "defaultParamFlag",
    ),
    "replace-section": Action(
        {
            **_TRACK,
            # All the lyrics that we know are those of the section; kie requires both fields.
            "prompt": lambda words: {"prompt": words, "fullLyrics": words},
            "title": "title",
            "styles": "tags",
            "negativeTags": "negativeTags",
            "startS": "infillStartS",
            "endS": "infillEndS",
        },
        (*_NEEDS_TRACK, "prompt", "tags", "title", "infillStartS", "infillEndS"),
    ),
    "stems": _of_a_track(type="separate_vocal"),
    "stems-all": _of_a_track(type="split_stem"),
    "wav": _of_a_track(),
    "music-video": _of_a_track(),
    "lyrics": Action({"prompt": "prompt"}),
}


def _music(job: Job) -> Mapped:
    name = job.values["action"]
    if name not in ACTIONS:
        raise CannotMapError(f"no path for the action {name}")
    action = ACTIONS[name]
    body = map_fields(job.values, {**WITHOUT_ENGINE, **action.words})
    if action.switch is not None:
        body |= _switched(action.switch, job.values)
    action.check(name, body)
    return Mapped(upstream_of(job, name), body)


def _switched(switch: str, values: Values) -> Body:
    """Return whether title and style are the customer's; in that mode kie wants a title."""
    if "title" not in values and "styles" not in values:
        return {switch: False}
    return {switch: True, "title": values.get("title") or values["styles"][: facts.TITLE_CHARS]}


# How each mapping of the catalog is said on kie.
MAPPINGS: Mapping[str, Mapper] = {facts.MUSIC_MAPPING: _music}
