"""Kling's API, both generations (docs/providers/kling.md). Callbacks are not sent.

3.0: `POST /text-to-video/{model}`, `/image-to-video/{model}`, `/motion-control/{model}`, polled at `GET
/tasks`. Older models: `POST /v1/videos/text2video` and `/v1/videos/image2video`, polled at the same path. A
job has its caller's id, so that it can be found after its response was lost.
"""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers.desk import Refused, body_of, own_job, taken
from local.simulator.providers.kling_models import CLASSIC, CURRENT, external_id, of_current
from local.simulator.wire import api_key

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = {
    JobState.QUEUED: "submitted",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "succeeded",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
}
_MESSAGES = {JobState.FAILED: "Generation failed", JobState.REJECTED: "Failed the risk control"}
_CODES = {401: 1002, 402: 1102, 403: 1103, 404: 1203, 422: 1201, 429: 1303, 500: 5000, 503: 5001}
_HTTP = {402: 429, 422: 400}
"""The status is 429 for an empty account, and 400 for an invalid input."""


def router(engine: Engine) -> APIRouter:
    """Return Kling's routes; their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/{kind}/{model}")
    async def create(kind: str, model: str, request: Request) -> Response:
        given = of_current(await body_of(request))
        key, ours = api_key(request, "Bearer"), external_id(given)
        job = await taken(engine, key, f"{kind}/{model}", given, CURRENT, job_id=ours)
        return _error(job) if isinstance(job, Refused) else _answer({"id": job.id, "status": "submitted"})

    @routes.get("/tasks")
    async def tasks(request: Request) -> Response:
        query = request.query_params
        wanted = query.get("task_ids") or query.get("external_task_ids", "")
        job = own_job(engine, api_key(request, "Bearer"), wanted)
        return _answer([] if job is None else [_current(engine, request, job)])

    @routes.post("/v1/videos/{kind}")
    async def create_classic(kind: str, request: Request) -> Response:
        given = await body_of(request)
        key, model = api_key(request, "Bearer"), f"{kind}/{given.pop('model_name', '')}"
        job = await taken(engine, key, model, given, CLASSIC, job_id=external_id(given))
        if isinstance(job, Refused):
            return _error(job)
        return _answer({"task_id": job.id, "task_status": "submitted"})

    @routes.get("/v1/videos/{kind}/{task_id}")
    async def show_classic(task_id: str, request: Request) -> Response:
        job = own_job(engine, api_key(request, "Bearer"), task_id)
        return (
            _error(Refused(404, "No such task")) if job is None else _answer(_classic(engine, request, job))
        )

    return routes


def _current(engine: Engine, request: Request, job: Job) -> dict[str, Any]:
    state = engine.poll(job)
    return {
        "id": job.id,
        "status": _STATUSES[state],
        "message": _MESSAGES.get(state, ""),
        "outputs": [{"type": "video", "url": url} for url in _urls(engine, request, job, state)],
    }


def _classic(engine: Engine, request: Request, job: Job) -> dict[str, Any]:
    state = engine.poll(job)
    return {
        "task_id": job.id,
        # The older generation's name of the status.
        "task_status": "succeed" if state is JobState.SUCCEEDED else _STATUSES[state],
        "task_status_msg": _MESSAGES.get(state, ""),
        "task_result": {"videos": [{"url": url} for url in _urls(engine, request, job, state)]},
    }


def _urls(engine: Engine, request: Request, job: Job, state: JobState) -> list[str]:
    return engine.file_urls(request, job) if state is JobState.SUCCEEDED else []


def _answer(data: Any) -> Response:
    return JSONResponse({"code": 0, "message": "SUCCEED", "data": data})


def _error(refused: Refused) -> Response:
    code = _CODES.get(refused.status, 5000)
    return JSONResponse({"code": code, "message": refused.why}, _HTTP.get(refused.status, refused.status))
