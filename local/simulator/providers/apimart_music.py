"""Suno on APIMart: the input and the result of each action (APIMart's documentation, pages of Suno)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from local.simulator.jobs import Job
from local.simulator.media import Artifact
from local.simulator.providers.inputs import ModelInput, Prompt, Url, VideoInput, made, needed, one
from local.simulator.providers.poyo_models import SongInput, TracksInput

_PATH = "music/generations"
_STEMS = 12
_ENGINES = ("v3.5", "v4", "v4.5", "v4.5+", "v4.5-all", "v5", "v5.5")
_Weight = Annotated[float, Field(ge=0, le=1, strict=False)]
_Seconds = Annotated[float, Field(ge=0, strict=False)]
_TRACK: dict[str, Any] = {"task_id": needed(str), "audio_index": Annotated[int, Field(ge=1)]}
_SECTION: dict[str, Any] = {**_TRACK, "start_s": needed(_Seconds), "end_s": needed(_Seconds)}
_STYLED: dict[str, Any] = {
    "custom": bool,
    "prompt": Prompt,
    "gpt_description": Prompt,
    "title": str,
    "tags": str,
    "negative_tags": str,
    "style_weight": _Weight,
    "weirdness_constraint": _Weight,
    "audio_weight": _Weight,
}
_SUNG: dict[str, Any] = {
    **_STYLED,
    "version": one(*_ENGINES),
    "vocal_gender": one("Male", "Female"),
    "auto_lyrics": bool,
}
_NOTES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_KEYS = one(*_NOTES, *(f"{note}m" for note in _NOTES))
_Formats = list[Literal["mp3", "m4a", "wav"]]
_FADE: dict[str, Any] = {**_TRACK, "duration_s": needed(_Seconds), "title": str}


class StemsInput(SongInput):
    """The input of a job that separates a song into stems."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the stems."""
        return super().artifacts(label, _STEMS if count == 1 else count)


def _actions() -> dict[str, tuple[type[ModelInput], dict[str, Any]]]:
    instrumental = {"instrumental": bool}
    songs: dict[str, dict[str, Any]] = {
        "": {**_SUNG, **instrumental, "version": needed(one(*_ENGINES)), "style": str},
        "extend": {**_SUNG, **_TRACK, "continue_at": needed(_Seconds)},
        "uploadCover": {**_SUNG, **instrumental, "audio_url": needed(Url)},
        "mashup": {
            **_SUNG,
            **instrumental,
            "task_ids": needed(Annotated[list[str], Field(min_length=2, max_length=2)]),
            "audio_indexes": Annotated[list[int], Field(min_length=2, max_length=2)],
        },
        "sample": {**_SUNG, **instrumental, **_SECTION},
        "addStem": {**_STYLED, **_TRACK, "version": one("v5.5")},
        "inspo": {
            **_SUNG,
            "version": one(*_ENGINES[1:]),
            "audio_urls": needed(Annotated[list[Url], Field(min_length=1, max_length=4)]),
        },
        "replaceMusic": {
            **_SECTION,
            "version": one("v4", "v4.5+", "v5", "v5.5"),
            "infill_lyrics": Prompt,
            "prompt": Prompt,
            "title": str,
            "tags": str,
            "negative_tags": str,
        },
        "remaster": {
            **_TRACK,
            "version": one("v4.5+", "v5", "v5.5"),
            "variation_category": one("subtle", "normal", "high"),
        },
    }
    tools: dict[str, dict[str, Any]] = {
        "sounds": {
            "prompt": needed(Prompt),
            "version": one("v5", "v5.5"),
            "type": one("one-shot", "loop"),
            "bpm": Annotated[int, Field(ge=1, le=300)],
            "key": _KEYS,
        },
        "lyrics": {"prompt": needed(Prompt)},
        "upsampleTags": {"tags": needed(str)},
        "uploadTask": {"audioFilePath": needed(Url)},
        "createVoice": {"audio_url": needed(Url)},
        "createModel": {
            "name": needed(str),
            "audio_urls": needed(Annotated[list[Url], Field(min_length=6, max_length=24)]),
        },
        "download": {**_TRACK, "formats": needed(_Formats)},
        "vox": {**_TRACK, "vocal_start_s": _Seconds, "vocal_end_s": _Seconds},
        **dict.fromkeys(("removeSection", "crop"), _SECTION),
        **dict.fromkeys(("fadeIn", "fadeOut"), _FADE),
        "adjustSpeed": {
            **_TRACK,
            "speed": needed(Annotated[float, Field(ge=0.25, le=4, strict=False)]),
            "keep_pitch": bool,
            "title": str,
        },
        **dict.fromkeys(("alignedLyrics", "concat", "midi", "bpm"), _TRACK),
    }
    return {
        **{name: (TracksInput, table) for name, table in songs.items()},
        **{name: (SongInput, table) for name, table in tools.items()},
        "stems": (StemsInput, {**_TRACK, "stem_type": str}),
        "stemsAll": (StemsInput, _TRACK),
        "generateMp4": (VideoInput, _TRACK),
    }


MUSIC: Mapping[str, type[ModelInput]] = {
    f"{_PATH}/{name}".removesuffix("/"): made("Music", base, {"model": needed(one("suno")), **table})
    for name, (base, table) in _actions().items()
}
"""By the path below `/v1/`."""

_DATA: dict[str, dict[str, Any]] = {
    "lyrics": {
        "lyrics": [
            {"title": "Rain", "text": "[Verse]\nA line of it", "tags": "folk"},
            {"title": "Drops", "text": "[Verse]\nAnother line", "tags": "folk"},
        ]
    },
    "upsampleTags": {"upsampled_tags": "warm, slow, with strings"},
    "createVoice": {"voice_id": "voice-1", "name": "Voice"},
    "createModel": {"model_id": "model-1", "name": "Engine"},
    "vox": {"vox_audio_id": "vox-1", "vocal_start_s": 0, "vocal_end_s": 12},
    "alignedLyrics": {"alignment": [{"word": "A", "start_s": 0.5, "end_s": 0.75}]},
    "midi": {"state": "complete", "instruments": [{"name": "Piano", "notes": [{"pitch": 60, "start": 0}]}]},
    "bpm": {"avg_bpm": 96.5, "min_bpm": 95, "max_bpm": 98},
}


def result(job: Job, urls: Sequence[str]) -> dict[str, Any]:
    """Return the `result` of a finished job with files at `urls`."""
    action = job.model.removeprefix(_PATH).removeprefix("/")
    if action in _DATA:
        return dict(_DATA[action])
    if action == "download":
        return {"files": [{"format": "wav", "url": urls[0]}], "wavUrl": urls[0]}
    if action == "generateMp4":
        return {"video_url": urls[0]}
    return {
        "music": [
            {
                "audio_id": f"{job.id}-{number}",
                "title": "A song",
                "duration": 8.0,
                "lyrics": "",
                "audio_url": url,
            }
            for number, url in enumerate(urls, 1)
        ]
    }
