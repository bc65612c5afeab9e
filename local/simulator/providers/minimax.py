"""MiniMax's videos.

`POST /v2/video_generation`, `GET /v2/query/video_generation/{task_id}`, `DELETE
/v2/video_generation/{task_id}`. Callbacks (`callback_url`) are neither registered nor sent. The API's first
version is in `minimax_first.py`.
"""

import secrets
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.providers import minimax_first, table
from local.simulator.providers.content import MEDIA, flat
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput, Url, needed, one, problem_of, videos
from local.simulator.wire import api_key, json_object, text

_CREATE = "/v2/video_generation"
_STATUSES = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "running",
    JobState.SUCCEEDED: "succeeded",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
    JobState.CANCELLED: "cancelled",
}
_FAULTS = {
    JobState.FAILED: {"code": "1013", "message": "internal error"},
    JobState.REJECTED: {"code": "1027", "message": "the video is sensitive"},
}
_ERRORS = {
    400: "bad_request_error",
    401: "authorized_error",
    402: "insufficient_balance_error",
    422: "unprocessable_entity_error",
    429: "rate_limit_error",
}
_H3: dict[str, Any] = {
    **MEDIA,
    "ratio": one("adaptive", "21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "callback_url": Url,
}
_MODELS: dict[str, type[ModelInput]] = {
    "MiniMax-H3": videos(**_H3, resolution=needed(one("768P", "2K")), duration=needed(one(*range(4, 16)))),
    "MiniMax-H3-Max": videos(
        **_H3,
        resolution=needed(one("480P", "768P")),
        duration=needed(one(*range(5, 16))),
        extra=dict[str, str],
    ),
}


def router(engine: Engine) -> APIRouter:
    """Return the video routes. The text routes are beside them, at `/v1` below the same prefix."""
    routes = APIRouter()
    routes.include_router(table.router(minimax_first.WIRE)(engine))

    @routes.post(_CREATE)
    async def create(request: Request) -> Response:
        return await _create(engine, request)

    @routes.get("/v2/query/video_generation/{task_id}")
    async def query(task_id: str, request: Request) -> Response:
        job = _job(engine, request, task_id)
        return job if isinstance(job, Response) else _query(engine, request, job)

    @routes.delete(f"{_CREATE}/{{task_id}}")
    async def delete(task_id: str, request: Request) -> Response:
        job = _job(engine, request, task_id)
        return job if isinstance(job, Response) else _delete(engine, job)

    return routes


async def _create(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    try:
        given = flat(await json_object(request) or {})
    except ValueError as error:
        return _error(400, str(error))
    visit = engine.receive(text(given.pop("model", None)), text(given.get("prompt")))
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    return await _place(engine, visit, key, given)


async def _place(engine: Engine, visit: Visit, key: str, given: dict[str, Any]) -> Response:
    model_input = input_of(engine.provider, visit.model, _MODELS)
    if model_input is None:
        return _error(400, "unknown model")
    try:
        asked = model_input.model_validate(given)
    except ValidationError as error:
        return _error(400, problem_of(error))
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", 1)
    job = await engine.accept(visit, str(secrets.randbits(48)), key, artifacts)
    return JSONResponse({"task_id": job.id})


def _query(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.poll(job)
    task: dict[str, Any] = {
        "id": job.id,
        "model": job.model,
        "status": _STATUSES[state],
        "created_at": job.created_ms // MS_PER_S,
        "updated_at": engine.now_ms() // MS_PER_S,
    }
    if state is JobState.SUCCEEDED:
        task["content"] = {"url": engine.file_urls(request, job)[0]}
    if state in _FAULTS:
        task["error"] = _FAULTS[state]
    return JSONResponse({"task": task})


def _delete(engine: Engine, job: Job) -> Response:
    match engine.state(job):
        case JobState.QUEUED:
            engine.cancel(job)
        case JobState.RUNNING | JobState.CANCELLED:
            return _error(400, "this task cannot be deleted")
        case _:
            engine.forget(job)
    return JSONResponse({"task_id": job.id})


def _job(engine: Engine, request: Request, task_id: str) -> Job | Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    job = engine.find(task_id)
    return _error(400, "invalid task_id") if job is None or job.owner != key else job


def _error(status: int, message: str | None = None) -> Response:
    kind = _ERRORS.get(status, "server_error")
    error = {"type": kind, "message": message or "the request was refused", "http_code": str(status)}
    return JSONResponse({"type": "error", "error": error, "request_id": secrets.token_hex(8)}, status)
