"""Music on PoYo: a model for each action (docs/providers/poyo.md; PoYo's API manual, music series).

The caller has replaced the ids of an earlier task by PoYo's ids. Some actions run only on an uploaded track,
and others only on a track of PoYo; they are refused for the other kind.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, FieldMap, FieldTarget, Mapper, map_fields, upstream_of
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.suno import ANYWAY, WITHOUT_ENGINE, Action
from tollgate.providers.mapping.targets import accept_only, ignored, translated
from tollgate.providers.media.poyo import facts
from tollgate.providers.runtime.base import Job, Mapped

_ENGINE: FieldTarget = translated("mv", facts.MUSIC_ENGINES)
_SUNG: FieldMap = {
    **ANYWAY,
    "mv": _ENGINE,
    "prompt": "prompt",
    "title": "title",
    "styles": "style",
    "negativeTags": "negative_tags",
    "styleWeight": "style_weight",
    "weirdnessConstraint": "weirdness_constraint",
    "audioWeight": "audio_weight",
    "vocalGender": translated("vocal_gender", facts.VOCAL_GENDERS),
    "instrumental": accept_only(False),
}
_OF_A_TRACK: FieldMap = {**WITHOUT_ENGINE, "parentTaskId": "task_id", "audioId": "audio_id"}
_TRACK = ("task_id", "audio_id")


def _as_full_lyrics(words: str) -> Body:
    """Return the lyrics of a section as both required fields, because no other lyrics are known."""
    return {"prompt": words, "full_lyrics": words}


_TAGGED: FieldMap = {"styles": "tags", "title": "title", "negativeTags": "negative_tags"}

_A_TRACKS_ACTION = Action(_OF_A_TRACK, _TRACK)
_A_TASKS_ACTION = Action({**WITHOUT_ENGINE, "parentTaskId": "task_id"}, ("task_id",))
# By action of the contract.
ACTIONS: Mapping[str, Action] = {
    "music": Action({**_SUNG, "instrumental": "instrumental"}, ("prompt",), "custom_mode"),
    "cover": Action(
        {**_SUNG, "instrumental": "instrumental", "audioUrl": "upload_url"},
        ("upload_url", "prompt"),
        "custom_mode",
    ),
    "extend": Action(
        {**_SUNG, "parentTaskId": ignored, "audioId": "audio_id", "startS": "continue_at"},
        ("audio_id",),
        "default_param_flag",
    ),
    "add-instrumental": Action(
        {
            **WITHOUT_ENGINE,
            **_TAGGED,
            "mv": _ENGINE,
            "instrumental": ignored,
            "audioUrl": "upload_url",
        },
        ("upload_url", "title", "tags", "negative_tags"),
    ),
    "add-vocals": Action(
        {**_SUNG, "audioUrl": "upload_url"}, ("upload_url", "prompt", "title", "style", "negative_tags")
    ),
    "replace-section": Action(
        {
            **_OF_A_TRACK,
            **_TAGGED,
            "prompt": _as_full_lyrics,
            "startS": "infill_start_s",
            "endS": "infill_end_s",
        },
        (*_TRACK, "prompt", "tags", "title", "infill_start_s", "infill_end_s"),
    ),
    "lyrics": Action({**WITHOUT_ENGINE, "prompt": "prompt"}),
    "boost-style": Action({**WITHOUT_ENGINE, "styles": "content"}),
    "stems": _A_TRACKS_ACTION,
    "stems-all": _A_TRACKS_ACTION,
    "wav": _A_TRACKS_ACTION,
    "timestamped-lyrics": _A_TRACKS_ACTION,
    "music-video": _A_TRACKS_ACTION,
    "music-cover": _A_TASKS_ACTION,
    "midi": Action(
        {**WITHOUT_ENGINE, "action": lambda _: {"feature_code": "generate-midi"}, "parentTaskId": "task_id"},
        ("task_id",),
    ),
}


def _music(job: Job) -> Mapped:
    name = job.values["action"]
    if name not in ACTIONS:
        raise CannotMapError(f"no model for the action {name}")
    action = ACTIONS[name]
    body = map_fields(job.values, action.words)
    if action.switch is not None:
        # Title and style count only in custom mode; without them, PoYo generates both from the prompt.
        body[action.switch] = "title" in body or "style" in body
        if "style" in body:
            body.setdefault("title", body["style"][: facts.TITLE_CHARS])
    action.check(name, body)
    return Mapped(upstream_of(job, name), body)


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"suno": _music}
