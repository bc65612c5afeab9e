"""Suno on kie, in sunoapi.org's dialect (docs/providers/kie.md#music): a path and a record for each action.

The codes are in the envelope. HTTP returns 200, except for a directed status. Each job must have a callback
URL.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import ModelInput, Prompt, Url, VideoInput, made, needed, one
from local.simulator.providers.poyo_models import SongInput, TracksInput

_STATUSES = table.words(
    "PENDING", "TEXT_SUCCESS", "SUCCESS", "GENERATE_AUDIO_FAILED", rejected="SENSITIVE_WORD_ERROR"
)
_REASONS = {JobState.FAILED: "Generation failed", JobState.REJECTED: "Contains sensitive words"}
_MESSAGES = {401: "Unauthorized", 404: "Not found", 429: "Insufficient credits", 430: "Too many requests"}
_Weight = Annotated[float, Field(ge=0, le=1, strict=False)]
_Seconds = Annotated[float, Field(ge=0, strict=False)]
_CALLBACK = {"callBackUrl": needed(Url)}
_SUNG: dict[str, Any] = {
    **_CALLBACK,
    "prompt": Prompt,
    "model": needed(one("V4", "V4_5", "V4_5PLUS", "V4_5ALL", "V5", "V5_5")),
    "style": str,
    "title": Annotated[str, Field(max_length=80)],
    "negativeTags": str,
    "vocalGender": one("m", "f"),
    "styleWeight": _Weight,
    "weirdnessConstraint": _Weight,
    "audioWeight": _Weight,
}
_TRACK: dict[str, Any] = {**_CALLBACK, "taskId": needed(str), "audioId": needed(str)}
_VOICE: dict[str, Any] = {
    **_CALLBACK,
    "voiceUrl": needed(Url),
    "vocalStartS": needed(_Seconds),
    "vocalEndS": needed(_Seconds),
    "language": str,
}
_VERIFIED: dict[str, Any] = {
    **_CALLBACK,
    "taskId": needed(str),
    "verifyUrl": needed(Url),
    "voiceName": str,
    "description": str,
    "style": str,
    "singerSkillLevel": one("beginner", "intermediate", "advanced", "professional"),
}
_PHRASE = "Harmonies fill the air tonight"
_SWITCHED: dict[str, Any] = {"customMode": needed(bool), "instrumental": needed(bool)}


def _paths() -> dict[str, tuple[type[ModelInput], dict[str, Any]]]:
    section: dict[str, Any] = {
        **_TRACK,
        **dict.fromkeys(("prompt", "fullLyrics", "tags", "title"), needed(str)),
        **dict.fromkeys(("infillStartS", "infillEndS"), needed(_Seconds)),
        "negativeTags": str,
    }
    extended: dict[str, Any] = {
        **_SUNG,
        "defaultParamFlag": needed(bool),
        "audioId": needed(str),
        "continueAt": _Seconds,
    }
    return {
        "generate": (TracksInput, {**_SUNG, **_SWITCHED}),
        "generate/extend": (TracksInput, extended),
        "generate/upload-cover": (TracksInput, {**_SUNG, **_SWITCHED, "uploadUrl": needed(Url)}),
        "generate/replace-section": (TracksInput, section),
        "vocal-removal/generate": (
            SongInput,
            {**_TRACK, "type": needed(one("separate_vocal", "split_stem"))},
        ),
        "wav/generate": (SongInput, _TRACK),
        "mp4/generate": (VideoInput, _TRACK),
        "lyrics": (SongInput, {**_CALLBACK, "prompt": needed(Prompt)}),
        "voice/validate": (SongInput, _VOICE),
        "voice/generate": (SongInput, _VERIFIED),
    }


PATHS: Mapping[str, type[ModelInput]] = {
    name: made("Music", base, table) for name, (base, table) in _paths().items()
}
"""By the path below `/api/v1/`."""


def done(data: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without an error."""
    return {"code": 200, "msg": "success", "data": data}


def in_envelope(messages: Mapping[int, str]) -> Callable[[table.Refused], Response]:
    """Return the function that creates an error response; `messages` are the usual words by code."""

    def error(refused: table.Refused) -> Response:
        words = refused.why or messages.get(refused.status, "Server error")
        body = {"code": refused.status, "msg": words, "data": None}
        return JSONResponse(body, refused.directed_status or 200)

    return error


def accepted(shown: table.Shown) -> dict[str, Any]:
    """Return the answer to a submit."""
    return done({"taskId": shown.job.id})


def _submit(path: str) -> table.Submit:
    def read(_: Request, body: dict[str, Any]) -> table.Asked:
        return table.Asked(f"suno/{path}", body, callback_url=body.get("callBackUrl"))

    return table.Submit(f"/api/v1/{path}", {f"suno/{path}": PATHS[path]}, read, accepted)


def _check(engine: Engine, key: str, asked: table.Asked) -> table.Refused | None:
    track = asked.given.get("audioId")
    source = engine.find(asked.given.get("taskId") or (track or "").rpartition("-")[0])
    if track is not None and (source is None or source.owner != key):
        return table.Refused(404, "The audio does not exist")
    return None


def _look(records: str, path: str = "/record-info") -> table.Look:
    def record(shown: table.Shown) -> table.Answer:
        if not shown.job.model.startswith(f"suno/{records}"):
            return table.Refused(404)
        if records.startswith("voice"):
            return done(_voice(shown, is_phrase=records == "voice/validate"))
        status = {"status" if records in ("generate", "lyrics") else "successFlag": _STATUSES[shown.state]}
        return done(
            {
                "taskId": shown.job.id,
                "param": json.dumps({"prompt": shown.job.prompt}),
                **status,
                "response": _made(records, shown.job, shown.urls) if shown.urls else None,
                "errorMessage": _REASONS.get(shown.state),
            }
        )

    return table.Look(f"/api/v1/{records}{path}", record, job_id=table.in_query("taskId"))


def _voice(shown: table.Shown, *, is_phrase: bool) -> dict[str, Any]:
    """Return the record of a phrase to sing, or of a voice."""
    statuses = table.words(
        "wait_processing",
        "processing_validate",
        "wait_validating" if is_phrase else "success",
        "fail",
        rejected="processing_validate_fail",
        cancelled="fail",
    )
    made = {"validateInfo": _PHRASE} if is_phrase else {"voiceId": f"voice-{shown.job.id}"}
    return {
        "taskId": shown.job.id,
        "status": statuses[shown.state],
        "errorMessage": _REASONS.get(shown.state, ""),
        **(made if shown.is_done else {}),
    }


def _made(records: str, job: Job, urls: Sequence[str]) -> dict[str, Any]:
    if records == "lyrics":
        return {"taskId": job.id, "data": [{"text": "[Verse]\nA line of it", "title": "Rain"}]}
    if records == "generate":
        tracks = [
            {"id": f"{job.id}-{number}", "audioUrl": url, "title": "A song", "tags": "folk", "duration": 8.0}
            for number, url in enumerate(urls)
        ]
        return {"taskId": job.id, "sunoData": tracks}
    names = {"vocal-removal": "vocalUrl", "wav": "audioWavUrl", "mp4": "videoUrl"}
    return {"originUrl": None, names[records]: urls[0]}


WIRE = table.Wire(
    key=table.bearer,
    error=in_envelope(_MESSAGES),
    submits=tuple(map(_submit, PATHS)),
    looks=(
        *map(_look, dict.fromkeys(path.partition("/")[0] for path in PATHS)),
        _look("voice/validate", "-info"),
    ),
    # INFERRED: as for the other models of kie.
    no_model=table.Refused(404, "The model name you specified is not supported"),
    no_job=table.Refused(404),
    error_in_200=lambda: table.Refused(500),
    tells_bad_key=True,
    check=_check,
)
"""The paths of music, and of their records."""
