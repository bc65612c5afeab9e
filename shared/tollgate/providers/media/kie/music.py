"""Suno on kie, in the dialect of sunoapi.org (docs/providers/kie.md#music): a path for each action.

The caller has replaced the id of an earlier task by kie's id.
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
from tollgate.providers.mapping.targets import ignored, lower, translated
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
    """Return an action that needs only a track; `fixed` is added to the body."""
    return Action({**_TRACK, "action": lambda _: dict(fixed)}, _NEEDS_TRACK)


# By action of the contract.
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
            # Only the lyrics of the section are known, but kie requires both fields.
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
    facts.VOICE_PHRASE: Action(
        {"voiceAudioUrl": "voiceUrl", "startS": "vocalStartS", "endS": "vocalEndS"},
        ("vocalStartS", "vocalEndS"),
    ),
    facts.VOICE: Action(
        {
            # The phrase belongs to this recording.
            "voiceAudioUrl": ignored,
            "phraseId": "taskId",
            "verificationAudioUrl": "verifyUrl",
            "name": "voiceName",
            "description": "description",
            "styles": "style",
            "singerSkillLevel": lower("singerSkillLevel"),
        }
    ),
}


def variant_of(values: Values) -> str:
    """Return the action of an input; `voice` without a phrase asks for one."""
    name: str = values["action"]
    return facts.VOICE_PHRASE if name == facts.VOICE and "phraseId" not in values else name


def _music(job: Job) -> Mapped:
    name = variant_of(job.values)
    if name not in ACTIONS:
        raise CannotMapError(f"no path for the action {name}")
    action = ACTIONS[name]
    body = map_fields(job.values, {**WITHOUT_ENGINE, **action.words})
    if action.switch is not None:
        body |= _switched(action.switch, job.values)
    action.check(name, body)
    return Mapped(upstream_of(job, name), body)


def _switched(switch: str, values: Values) -> Body:
    """Return the switch: whether title and style are the customer's. If they are, kie requires a title."""
    if "title" not in values and "styles" not in values:
        return {switch: False}
    return {switch: True, "title": values.get("title") or values["styles"][: facts.TITLE_CHARS]}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {facts.MUSIC_MAPPING: _music}
