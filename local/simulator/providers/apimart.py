"""APIMart: `POST /v1/images|videos/generations`, `/v1/midjourney/generations/…`, `/v1/music/generations/…`.

Each section has a separate path for status: `/v1/tasks/{id}`, `/v1/midjourney/{id}`, `/v1/music/tasks/{id}`
(docs/providers/apimart.md; APIMart's documentation). The error types are INFERRED, except for 400, 401, 402
and 429. Follow-ups on a task that does not exist or is not done are refused.
"""

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import JobState
from local.simulator.providers import apimart_answers
from local.simulator.providers.apimart_models import IMAGES, MIDJOURNEY, VIDEOS
from local.simulator.providers.apimart_music import MUSIC
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput
from local.simulator.wire import api_key, json_object, text

_ERRORS = {
    400: ("Invalid request", "invalid_request_error"),
    401: ("Invalid token", "authentication_error"),
    402: ("Insufficient balance", "payment_required"),
    404: ("Task not found", "invalid_request_error"),
    429: ("Too many requests", "rate_limit_error"),
}
_OTHER_ERROR = ("Something went wrong", "server_error")
_NO_SUCH_TASK = "task_not_exist"
_MODEL = "model"


def router(engine: Engine) -> APIRouter:
    """Return APIMart's routes; their prefix is the adapter's base URL."""
    routes = APIRouter(prefix="/v1")

    @routes.post("/images/generations")
    async def images(request: Request) -> Response:
        return await _submit(engine, request, IMAGES, None)

    @routes.post("/videos/generations")
    async def videos(request: Request) -> Response:
        return await _submit(engine, request, VIDEOS, None)

    @routes.post("/midjourney/generations/{action}")
    async def midjourney(request: Request, action: str) -> Response:
        return await _submit(engine, request, MIDJOURNEY, f"midjourney/generations/{action}")

    @routes.post("/music/generations")
    async def music(request: Request) -> Response:
        return await _submit(engine, request, MUSIC, "music/generations")

    @routes.post("/music/generations/{action}")
    async def music_action(request: Request, action: str) -> Response:
        return await _submit(engine, request, MUSIC, f"music/generations/{action}")

    @routes.get("/tasks/{task_id}")
    async def task(request: Request, task_id: str) -> Response:
        return _status(engine, request, task_id, apimart_answers.task)

    @routes.get("/midjourney/{task_id}")
    async def midjourney_task(request: Request, task_id: str) -> Response:
        return _status(engine, request, task_id, apimart_answers.midjourney)

    @routes.get("/music/tasks/{task_id}")
    async def music_task(request: Request, task_id: str) -> Response:
        return _status(engine, request, task_id, apimart_answers.music)

    return routes


async def _submit(
    engine: Engine, request: Request, models: Mapping[str, type[ModelInput]], path: str | None
) -> Response:
    """Accept a job for a model of `models`. The path or the body's `model` selects it."""
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    body = await json_object(request)
    if body is None:
        return _error(400)
    name = path or text(body.get(_MODEL))
    given = body if path else {field: value for field, value in body.items() if field != _MODEL}
    visit = engine.receive(name, text(given.get("prompt") or given.get("gpt_description")))
    idempotency_key = request.headers.get("idempotency-key")
    return await _place(engine, visit, key, models, given, idempotency_key=idempotency_key)


async def _place(
    engine: Engine,
    visit: Visit,
    key: str,
    models: Mapping[str, type[ModelInput]],
    given: dict[str, Any],
    *,
    idempotency_key: str | None,
) -> Response:
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    if visit.directions.error_in_200:
        return JSONResponse({"code": 500, "message": "The upstream is busy", "data": None})
    model_input = input_of(engine.provider, visit.model, models)
    if model_input is None:
        return _error(404, "model not found")
    try:
        asked = model_input.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        return _error(400, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    if reason := _bad_source(engine, key, visit.model, asked.said()):
        return _error(400, reason, _NO_SUCH_TASK)
    artifacts = asked.artifacts(visit.model, visit.directions.files or 1)
    # A repeated key returns the same task, which already exists.
    sign = secrets.token_hex(13) if idempotency_key is None else _digest(idempotency_key)
    task_id = f"task_{sign.upper()}"
    job = engine.find(task_id) or await engine.accept(visit, task_id, key, artifacts)
    return JSONResponse({"code": 200, "data": [{"status": "submitted", "task_id": job.id}]})


def _digest(idempotency_key: str) -> str:
    return sha256(idempotency_key.encode()).hexdigest()[:26]


def _bad_source(engine: Engine, key: str, model: str, said: dict[str, Any]) -> str | None:
    """Return the problem with the earlier tasks that a job uses, or with a part of them."""
    named = [said.get("task_id"), said.get("extend_from_task_id"), *said.get("task_ids", [])]
    tracks = [said.get("audio_index", 1), 1, *said.get("audio_indexes", [1, 1])]
    for task_id, track in zip(named, tracks, strict=False):
        if task_id is None:
            continue
        job = engine.find(task_id)
        if job is None or job.owner != key or engine.state(job) is not JobState.SUCCEEDED:
            return f"task {task_id} does not exist or is not done"
        if track > len(job.artifacts):
            return f"task {task_id} has no track {track}"
        if model.endswith("/modal") and not job.model.endswith("/inpaint"):
            return f"task {task_id} waits for nothing"
        if said.get("custom_id") and not said["custom_id"].endswith(f"::{job.id}"):
            return f"task {task_id} has no such button"
    return None


def _status(engine: Engine, request: Request, task_id: str, shown: Any) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    job = engine.find(task_id)
    if job is None or job.owner != key:
        return _error(404)
    state = engine.poll(job)
    urls = engine.file_urls(request, job) if state is JobState.SUCCEEDED else []
    return JSONResponse(shown(engine, job, state, urls))


def _error(status: int, message: str | None = None, code: str | None = None) -> Response:
    usual, kind = _ERRORS.get(status, _OTHER_ERROR)
    return JSONResponse(
        {"error": {"code": code or status, "message": message or usual, "type": kind}}, status
    )
