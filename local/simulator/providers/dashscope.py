"""DashScope: videos and images as tasks, and images in the response.

Tasks: `POST` with `X-DashScope-Async: enable`, `GET /api/v1/tasks/{id}`, `POST …/{id}/cancel`.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.media.mp4 import Mp4
from local.simulator.providers import dashscope_models as models
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput, problem_of
from local.simulator.wire import api_key, json_object, text

_SERVICES = "/api/v1/services/aigc"
_STATUSES = {
    JobState.QUEUED: "PENDING",
    JobState.RUNNING: "RUNNING",
    JobState.SUCCEEDED: "SUCCEEDED",
    JobState.FAILED: "FAILED",
    JobState.REJECTED: "FAILED",
    JobState.CANCELLED: "CANCELED",
}
_FAULTS = {
    JobState.FAILED: {"code": "InternalError.Algo", "message": "The algorithm had a fault."},
    JobState.REJECTED: {"code": "DataInspectionFailed", "message": "Output data may be inappropriate."},
}
_CODES = {
    400: "InvalidParameter",
    401: "InvalidApiKey",
    402: "Arrearage",
    403: "AccessDenied",
    404: "ModelNotFound",
    429: "Throttling.RateQuota",
    503: "ModelUnavailable",
}
_NOT_ASYNC = "current user api does not support synchronous calls"

_CLIENTS_OWN = frozenset({"extend_prompt", "function", "is_async"})


def router(engine: Engine) -> APIRouter:
    """Return the media routes. The text routes are beside them, at `/v1` below the same prefix."""
    routes = APIRouter()

    @routes.post(f"{_SERVICES}/video-generation/video-synthesis")
    async def video(request: Request) -> Response:
        return await _task(engine, request, models.VIDEOS)

    @routes.post(f"{_SERVICES}/image-generation/generation")
    async def image(request: Request) -> Response:
        return await _task(engine, request, models.IMAGES)

    @routes.post(f"{_SERVICES}/multimodal-generation/generation")
    async def image_at_once(request: Request) -> Response:
        job = await _accepted(engine, request, models.IMAGES_AT_ONCE)
        return job if isinstance(job, Response) else await _finished(engine, request, job)

    @routes.get("/api/v1/tasks/{task_id}")
    async def task(task_id: str, request: Request) -> Response:
        if api_key(request, "Bearer") is None:
            return _error(401)
        return _state(engine, request, task_id)

    @routes.post("/api/v1/tasks/{task_id}/cancel")
    async def cancel(task_id: str, request: Request) -> Response:
        if api_key(request, "Bearer") is None:
            return _error(401)
        return _cancel(engine, task_id)

    return routes


async def _task(engine: Engine, request: Request, known: Mapping[str, type[ModelInput]]) -> Response:
    if request.headers.get("x-dashscope-async") != "enable":
        return _error(403, _NOT_ASYNC)
    job = await _accepted(engine, request, known)
    if isinstance(job, Response):
        return job
    return _answer({"task_id": job.id, "task_status": "PENDING"})


async def _accepted(
    engine: Engine, request: Request, known: Mapping[str, type[ModelInput]]
) -> Job | Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    body = await json_object(request) or {}
    try:
        given = _flat(body)
    except (KeyError, TypeError, ValueError):
        return _error(400, "input cannot be read")
    visit = engine.receive(text(body.get("model")), text(given.get("prompt")))
    asked = _input_of(visit, input_of(engine.provider, visit.model, known), given)
    if isinstance(asked, Response):
        return asked
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    return await engine.accept(visit, _new_id(), key, artifacts)


def _input_of(
    visit: Visit, model_input: type[ModelInput] | None, given: dict[str, Any]
) -> ModelInput | Response:
    """Return the input, or the error response for an invalid input."""
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    if visit.directions.error_in_200:
        return JSONResponse({"code": "InternalError", "message": "A fault.", "request_id": _new_id()})
    if model_input is None:
        return _error(404)
    try:
        return model_input.model_validate(given)
    except ValidationError as error:
        return _error(400, problem_of(error))


async def _finished(engine: Engine, request: Request, job: Job) -> Response:
    state = await engine.finish(job)
    if state is JobState.SUCCEEDED:
        return _answer(_files(engine, request, job))
    status = 400 if state is JobState.REJECTED else 500
    return JSONResponse({**_FAULTS[state], "request_id": _new_id()}, status)


def _state(engine: Engine, request: Request, task_id: str) -> Response:
    job = engine.find(task_id)
    if job is None:
        return _answer({"task_id": task_id, "task_status": "UNKNOWN"})
    state = engine.poll(job)
    output = {"task_id": job.id, "task_status": _STATUSES[state], **_FAULTS.get(state, {})}
    files = _files(engine, request, job) if state is JobState.SUCCEEDED else {}
    return _answer({**output, **files})


def _cancel(engine: Engine, task_id: str) -> Response:
    job = engine.find(task_id)
    if job is None or engine.state(job) is not JobState.QUEUED:
        return JSONResponse({"code": "UnsupportedOperation", "message": "It is not pending."}, 400)
    engine.cancel(job)
    return JSONResponse({"request_id": _new_id()})


def _flat(body: dict[str, Any]) -> dict[str, Any]:
    """Return input and parameters as fields of one input, with media by kind."""
    said = {**body["input"], **body["parameters"]}
    # The vendor's client adds internal fields, and an empty prompt.
    given = {name: value for name, value in said.items() if name not in _CLIENTS_OWN and value is not None}
    media = [(part["type"], part["url"]) for part in given.pop("media", [])]
    for message in given.pop("messages", []):
        media += [pair for part in message["content"] for pair in part.items()]
    for kind, value in media:
        if kind in models.LISTS:
            given.setdefault(kind, []).append(value)
        elif kind in given:
            raise ValueError(kind)
        else:
            given["prompt" if kind == "text" else kind] = value
    return given


def _files(engine: Engine, request: Request, job: Job) -> dict[str, Any]:
    urls = engine.file_urls(request, job)
    if isinstance(job.artifacts[0], Mp4):
        return {"video_url": urls[0], "orig_prompt": job.prompt}
    content = [{"type": "image", "image": url} for url in urls]
    return {
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "finished": True,
    }


def _answer(output: dict[str, Any]) -> Response:
    return JSONResponse({"request_id": _new_id(), "output": output, "usage": {}})


def _error(status: int, message: str = "The request was refused.") -> Response:
    code = _CODES.get(status, "InternalError")
    return JSONResponse({"code": code, "message": message, "request_id": _new_id()}, status)


def _new_id() -> str:
    return str(uuid.uuid4())
