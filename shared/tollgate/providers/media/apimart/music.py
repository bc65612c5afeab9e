"""Suno on APIMart: each action has its own path and fields (APIMart's documentation, pages of Suno).

The caller has replaced the id of an earlier task by APIMart's id. A track of that task is a number, from 1:
the `audioId` in Tollgate's results.
"""

from collections.abc import Mapping, Sequence

from tollgate.kit.numbers import digits
from tollgate.kit.problems import shortened
from tollgate.providers.mapping.fields import Body, FieldMap, FieldTarget, Mapper, map_fields, upstream_of
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.suno import WITHOUT_ENGINE
from tollgate.providers.mapping.targets import translated
from tollgate.providers.media.apimart import facts
from tollgate.providers.runtime.base import Job, Mapped


def _index(track: str) -> int:
    number = digits(track, 1, facts.MAX_TRACKS)
    if number is None:
        raise CannotMapError(f"{shortened(track)!r} is no number of a track")
    return number


def _tracks(tracks: Sequence[str]) -> Body:
    return {"audio_indexes": [_index(track) for track in tracks]}


def _key(key: str) -> Body:
    """Return a key in APIMart's spelling: `Bb minor` is `A#m`."""
    note = key[:2] if key[1:2] in ("#", "b") else key[:1]
    kind = key.removeprefix(note).strip().lower()
    is_minor = kind in ("m", "min", "minor")
    return {"key": facts.SHARP_OF.get(note, note) + ("m" if is_minor else "")}


def _engine(*ours: str) -> FieldTarget:
    """Return the target of the engine for an action that only some engines support."""
    return translated("version", {name: facts.ENGINES[name] for name in ours})


_ANY_ENGINE: FieldMap = {"mv": _engine(*facts.ENGINES)}
_STYLED: FieldMap = {
    "prompt": "prompt",
    "title": "title",
    "styles": "tags",
    "negativeTags": "negative_tags",
    "styleWeight": "style_weight",
    "weirdnessConstraint": "weirdness_constraint",
    "audioWeight": "audio_weight",
}
_SUNG: FieldMap = {
    **_STYLED,
    **_ANY_ENGINE,
    "vocalGender": "vocal_gender",
    "autoLyrics": "auto_lyrics",
}
_INSTRUMENTAL: FieldMap = {"instrumental": "instrumental"}
_OF_A_TASK: FieldMap = {
    "parentTaskId": "task_id",
    "audioId": lambda track: {"audio_index": _index(track)},
}
_SECTION: FieldMap = {**_OF_A_TASK, "startS": "start_s", "endS": "end_s"}
_FADE: FieldMap = {**_OF_A_TASK, "durationS": "duration_s", "title": "title"}

# The supported fields of each action.
ACTIONS: Mapping[str, FieldMap] = {
    "music": {**_SUNG, **_INSTRUMENTAL, "styles": "style"},
    "extend": {**_SUNG, **_OF_A_TASK, "startS": "continue_at"},
    "cover": {**_SUNG, **_INSTRUMENTAL, "audioUrl": "audio_url"},
    "mashup": {**_SUNG, **_INSTRUMENTAL, "sourceTaskIds": "task_ids", "audioIds": _tracks},
    "sample": {**_SUNG, **_INSTRUMENTAL, **_SECTION},
    "add-stem": {**_STYLED, **_OF_A_TASK, "mv": _engine("v5.5")},
    "inspo": {**_SUNG, "audioUrls": "audio_urls", "mv": _engine("v4.0", "v4.5", "v4.5+", "v5.0", "v5.5")},
    "sound": {"prompt": "prompt", "type": "type", "bpm": "bpm", "key": _key, "mv": _engine("v5.0", "v5.5")},
    "replace-section": {
        **_SECTION,
        "mv": _engine("v4.0", "v4.5+", "v5.0", "v5.5"),
        "prompt": "infill_lyrics",
        "title": "title",
        "styles": "tags",
        "negativeTags": "negative_tags",
    },
    "remaster": {
        **_OF_A_TASK,
        "mv": _engine("v4.5+", "v5.0", "v5.5"),
        "variationCategory": "variation_category",
    },
    "lyrics": {"prompt": "prompt"},
    "boost-style": {"styles": "tags"},
    "upload": {"audioUrl": "audioFilePath"},
    "voice": {"voiceAudioUrl": "audio_url"},
    "stems": {**_OF_A_TASK, "stemType": "stem_type"},
    "wav": _OF_A_TASK,
    "vox": {**_OF_A_TASK, "startS": "vocal_start_s", "endS": "vocal_end_s"},
    "remove-section": _SECTION,
    "crop": _SECTION,
    "fade-in": _FADE,
    "fade-out": _FADE,
    "adjust-speed": {**_OF_A_TASK, "speed": "speed", "keepPitch": "keep_pitch", "title": "title"},
    **dict.fromkeys(("stems-all", "timestamped-lyrics", "music-video", "concat", "midi", "bpm"), _OF_A_TASK),
}
FIXED: Mapping[str, Body] = {"wav": {"formats": ["wav"]}}
# Actions whose prompt has another name if it describes the song instead of being its lyrics.
DESCRIBED = frozenset({"extend", "cover", "mashup", "sample", "add-stem"})
SINGS = frozenset({"music", *DESCRIBED})
_FOR_CUSTOM_MODE = {
    "title", "style", "tags", "negative_tags", "style_weight", "weirdness_constraint", "audio_weight",
    "auto_lyrics",
}  # fmt: skip
_WITH_LYRICS = {"title", "style", "tags"}


def _music(job: Job) -> Mapped:
    name = job.values["action"]
    if name not in ACTIONS:
        raise CannotMapError(f"no path for the action {name}")
    body = {
        "model": facts.SUNO,
        **FIXED.get(name, {}),
        **map_fields(job.values, {**WITHOUT_ENGINE, **ACTIONS[name]}),
    }
    return Mapped(upstream_of(job, name), _in_its_mode(name, body) if name in SINGS else body)


def _in_its_mode(name: str, body: Body) -> Body:
    """Return the body with the mode: the prompt is sung (custom mode), or describes the song.

    A title, a style and weights count only in custom mode. With a title or a style, the prompt is the lyrics
    (docs/contract.md#music); otherwise it is a description also in custom mode, and the lyrics are generated.
    """
    if name == "mashup" and "prompt" not in body:
        body = {**body, "prompt": facts.MASHED_UP}
    if body.keys().isdisjoint(_FOR_CUSTOM_MODE):
        return _described(name, body)
    writes = {} if body.keys() & _WITH_LYRICS or name == "add-stem" else {"auto_lyrics": True}
    return {**writes, **body, "custom": True}


def _described(name: str, body: Body) -> Body:
    if "prompt" not in body:
        return body
    others = {field: value for field, value in body.items() if field != "prompt"}
    return {**others, "custom": False, "gpt_description" if name in DESCRIBED else "prompt": body["prompt"]}


def _custom_model(job: Job) -> Mapped:
    words: FieldMap = {"name": "name", "audioUrls": "audio_urls"}
    return Mapped(upstream_of(job, "model"), {"model": facts.SUNO, **map_fields(job.values, words)})


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"suno": _music, "suno-custom-model": _custom_model}
