"""kie's jobs: `POST /api/v1/jobs/createTask`, `GET /api/v1/jobs/recordInfo?taskId=`.

The envelope's `code` is the status. HTTP returns 200, except for a directed status. A job that is refused for
its content ends like a failed job, because kie has no code for it (INFERRED).
"""

import json
import secrets
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.providers import kie_music
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import problem_of
from local.simulator.providers.kie_models import MODELS
from local.simulator.wire import api_key, json_object, text

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATES = {
    JobState.QUEUED: "waiting",
    JobState.RUNNING: "generating",
    JobState.SUCCEEDED: "success",
    JobState.FAILED: "fail",
    JobState.REJECTED: "fail",
}
_FAILURES = {
    JobState.FAILED: ("501", "Generation failed"),
    JobState.REJECTED: ("501", "The prompt breaks the content policy"),
}
_MESSAGES = {
    401: "You do not have access permissions",
    402: "Insufficient credits",
    404: "Not found",
    422: "Validation error",
    429: "Request limit exceeded",
    455: "The system is under maintenance",
}
_HTTP_OK = 200


def router(engine: Engine) -> APIRouter:
    """Return kie's routes; their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/api/v1/jobs/createTask")
    async def create(request: Request) -> Response:
        return await _create(engine, request)

    @routes.get("/api/v1/jobs/recordInfo")
    async def record(request: Request) -> Response:
        return _record(engine, request)

    kie_music.add_routes(routes, engine)
    return routes


async def _create(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    body = await json_object(request)
    if body is None or not isinstance(body.get("input"), dict):
        return _error(422, "input is required")
    visit = engine.receive(text(body.get("model")), text(body["input"].get("prompt")))
    return await _place(engine, visit, key, body)


async def _place(engine: Engine, visit: Visit, key: str, body: dict[str, Any]) -> Response:
    if visit.refused_status is not None:
        return _error(visit.refused_status, http_status=visit.refused_status)
    if visit.directions.error_in_200:
        return _error(500)
    model_input = input_of(engine.provider, visit.model, MODELS)
    if model_input is None:
        return _error(404, "The model name you specified is not supported")
    try:
        asked = model_input.model_validate(body["input"])
    except ValidationError as error:
        return _error(422, problem_of(error))
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    job = await engine.accept(visit, secrets.token_hex(16), key, artifacts, body.get("callBackUrl"))
    return _answer({"taskId": job.id})


def _record(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    job = engine.find(request.query_params.get("taskId", ""))
    if job is None or job.owner != key:
        return _error(404)
    state = engine.poll(job)
    code, message = _FAILURES.get(state, (None, None))
    is_done = state is JobState.SUCCEEDED
    return _answer(
        {
            "taskId": job.id,
            "model": job.model,
            "state": _STATES[state],
            "param": json.dumps({"model": job.model, "input": {"prompt": job.prompt}}),
            "resultJson": _result(engine, request, job) if is_done else None,
            "failCode": code,
            "failMsg": message,
            "costTime": job.duration_ms if is_done else None,
            "completeTime": job.created_ms + job.duration_ms if is_done else None,
            "createTime": job.created_ms,
        }
    )


def _result(engine: Engine, request: Request, job: Job) -> str:
    """Return the files: a JSON text inside the JSON."""
    return json.dumps({"resultUrls": engine.file_urls(request, job)})


def _answer(data: dict[str, Any]) -> Response:
    return JSONResponse({"code": 200, "msg": "success", "data": data})


def _error(code: int, message: str | None = None, http_status: int = _HTTP_OK) -> Response:
    shown = message or _MESSAGES.get(code, "Server error")
    return JSONResponse({"code": code, "msg": shown, "data": None}, http_status)
