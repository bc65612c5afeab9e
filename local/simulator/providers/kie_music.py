"""Suno on kie, in sunoapi.org's dialect (docs/providers/kie.md#music): a path and a record for each action.

The codes are in the envelope. HTTP returns 200, except for a directed status. Each job must have a callback
URL.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.providers.inputs import ModelInput, Prompt, Url, VideoInput, made, needed, one
from local.simulator.providers.poyo_models import SongInput, TracksInput
from local.simulator.wire import api_key, json_object, text

_STATUSES = {
    JobState.QUEUED: "PENDING",
    JobState.RUNNING: "TEXT_SUCCESS",
    JobState.SUCCEEDED: "SUCCESS",
    JobState.FAILED: "GENERATE_AUDIO_FAILED",
    JobState.REJECTED: "SENSITIVE_WORD_ERROR",
}
_REASONS = {JobState.FAILED: "Generation failed", JobState.REJECTED: "Contains sensitive words"}
_MESSAGES = {401: "Unauthorized", 404: "Not found", 429: "Insufficient credits", 430: "Too many requests"}
_HTTP_OK = 200
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


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the paths of music, and of their records, to kie's routes."""
    for path in PATHS:
        routes.add_api_route(f"/api/v1/{path}", _submitting(engine, path), methods=["POST"])
    for records in {path.partition("/")[0] for path in PATHS}:
        routes.add_api_route(f"/api/v1/{records}/record-info", _recording(engine, records), methods=["GET"])
    path = "/api/v1/voice/validate-info"
    routes.add_api_route(path, _recording(engine, "voice/validate"), methods=["GET"])


def _submitting(engine: Engine, path: str) -> Any:
    async def submit(request: Request) -> Response:
        key = api_key(request, "Bearer")
        if key is None:
            return _error(401)
        body = await json_object(request)
        if body is None:
            return _error(400)
        visit = engine.receive(f"suno/{path}", text(body.get("prompt")))
        return await _place(engine, visit, key, PATHS[path], body)

    return submit


async def _place(
    engine: Engine, visit: Visit, key: str, model: type[ModelInput], given: dict[str, Any]
) -> Response:
    if visit.refused_status is not None:
        return _error(visit.refused_status, http_status=visit.refused_status)
    if visit.directions.error_in_200:
        return _error(500)
    try:
        asked = model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        return _error(422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    said = asked.said()
    track = said.get("audioId")
    source = engine.find(said.get("taskId") or (track or "").rpartition("-")[0])
    if track is not None and (source is None or source.owner != key):
        return _error(404, "The audio does not exist")
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    job = await engine.accept(visit, secrets.token_hex(16), key, artifacts, given["callBackUrl"])
    return _answer({"taskId": job.id})


def _recording(engine: Engine, records: str) -> Any:
    async def record(request: Request) -> Response:
        key = api_key(request, "Bearer")
        if key is None:
            return _error(401)
        job = engine.find(request.query_params.get("taskId", ""))
        if job is None or job.owner != key or not job.model.startswith(f"suno/{records}"):
            return _error(404)
        state = engine.poll(job)
        if records.startswith("voice"):
            return _answer(_voice(job, state, is_phrase=records == "voice/validate"))
        urls = engine.file_urls(request, job) if state is JobState.SUCCEEDED else []
        status = {"status" if records in ("generate", "lyrics") else "successFlag": _STATUSES[state]}
        return _answer(
            {
                "taskId": job.id,
                "param": json.dumps({"prompt": job.prompt}),
                **status,
                "response": _made(records, job, urls) if urls else None,
                "errorMessage": _REASONS.get(state),
            }
        )

    return record


def _voice(job: Job, state: JobState, *, is_phrase: bool) -> dict[str, Any]:
    """Return the record of a phrase to sing, or of a voice."""
    done = "wait_validating" if is_phrase else "success"
    statuses = {
        JobState.QUEUED: "wait_processing",
        JobState.RUNNING: "processing_validate",
        JobState.SUCCEEDED: done,
        JobState.REJECTED: "processing_validate_fail",
    }
    made = {"validateInfo": _PHRASE} if is_phrase else {"voiceId": f"voice-{job.id}"}
    return {
        "taskId": job.id,
        "status": statuses.get(state, "fail"),
        "errorMessage": _REASONS.get(state, ""),
        **(made if state is JobState.SUCCEEDED else {}),
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


def _answer(data: dict[str, Any]) -> Response:
    return JSONResponse({"code": 200, "msg": "success", "data": data})


def _error(code: int, message: str | None = None, http_status: int = _HTTP_OK) -> Response:
    shown = message or _MESSAGES.get(code, "Server error")
    return JSONResponse({"code": code, "msg": shown, "data": None}, http_status)
