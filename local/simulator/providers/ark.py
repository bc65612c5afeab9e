"""ModelArk: `POST/GET/DELETE /api/v3/contents/generations/tasks[/{id}]`, `POST /api/v3/images/generations`.

Callbacks (`callback_url`) are not sent. The response contains the images, with an error in place of a refused
image.
"""

import secrets
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine, Visit
from local.simulator.inline import inline_files
from local.simulator.jobs import Job, JobState
from local.simulator.media.png import Png
from local.simulator.providers import ark_models as models
from local.simulator.providers.content import flat
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput, problem_of
from local.simulator.wire import api_key, json_object, text

_TASKS = "/api/v3/contents/generations/tasks"
_STATUSES = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "running",
    JobState.SUCCEEDED: "succeeded",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
    JobState.CANCELLED: "cancelled",
}
_REFUSED = {"code": "OutputVideoSensitiveContentDetected", "message": "The output video may be sensitive."}
_FAILED = {"code": "InternalServiceError", "message": "The service had a fault."}
_ERRORS = {
    400: ("InvalidParameter", "BadRequest"),
    401: ("AuthenticationError", "Unauthorized"),
    402: ("AccountOverdueError", "Forbidden"),
    403: ("AccessDenied", "Forbidden"),
    404: ("InvalidEndpointOrModel.NotFound", "NotFound"),
    429: ("RateLimitExceeded.EndpointRPMExceeded", "TooManyRequests"),
}
_LAST_FRAME_PX = (1_024, 576)
_OTHER_ERROR = ("InternalServiceError", "InternalServerError")


def router(engine: Engine) -> APIRouter:
    """Return ModelArk's routes; `/api/v3` below their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post(_TASKS)
    async def create(request: Request) -> Response:
        return await _create(engine, request)

    @routes.get(f"{_TASKS}/{{task_id}}")
    async def task(task_id: str, request: Request) -> Response:
        job = _job(engine, request, task_id)
        return job if isinstance(job, Response) else _task(engine, request, job)

    @routes.delete(f"{_TASKS}/{{task_id}}")
    async def delete(task_id: str, request: Request) -> Response:
        job = _job(engine, request, task_id)
        return job if isinstance(job, Response) else _delete(engine, job)

    @routes.post("/api/v3/images/generations")
    async def images(request: Request) -> Response:
        return await _images(engine, request)

    return routes


async def _create(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    body = await json_object(request)
    try:
        given = flat(_with_role(_without_empty(body or {})))
    except ValueError as error:
        return _error(400, str(error))
    visit = engine.receive(text(given.pop("model", None)), text(given.get("prompt")))
    asked = _input_of(visit, input_of(engine.provider, visit.model, models.VIDEOS), given)
    if isinstance(asked, Response):
        return asked
    label = f"{engine.provider} · {visit.model}"
    artifacts = asked.artifacts(label, visit.directions.files or 1)
    if given.get("return_last_frame"):
        artifacts.append(Png(*_LAST_FRAME_PX, visit.prompt, label, artifacts[0].seed))
    job = await engine.accept(visit, f"cgt-{secrets.token_hex(8)}", key, artifacts)
    return JSONResponse({"id": job.id})


def _task(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.poll(job)
    urls = [*engine.file_urls(request, job), None] if state is JobState.SUCCEEDED else [None, None]
    return JSONResponse(
        {
            "id": job.id,
            "model": job.model,
            "status": _STATUSES[state],
            "error": {JobState.FAILED: _FAILED, JobState.REJECTED: _REFUSED}.get(state),
            "content": {"video_url": urls[0], "last_frame_url": urls[1]},
            "created_at": job.created_ms // MS_PER_S,
            "updated_at": engine.now_ms() // MS_PER_S,
        }
    )


def _delete(engine: Engine, job: Job) -> Response:
    match engine.state(job):
        case JobState.QUEUED:
            engine.cancel(job)
        case JobState.RUNNING:
            return _error(409, "A running task cannot be deleted")
        case _:
            engine.forget(job)
    return JSONResponse({})


async def _images(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    given = _without_empty(await json_object(request) or {})
    visit = engine.receive(text(given.pop("model", None)), text(given.get("prompt")))
    asked = _input_of(visit, input_of(engine.provider, visit.model, models.IMAGES), given)
    if isinstance(asked, Response):
        return asked
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    job = await engine.accept(visit, secrets.token_hex(8), key, artifacts)
    state = await engine.finish(job)
    refused = {"code": "OutputImageSensitiveContentDetected", "message": "The output image may be sensitive."}
    error = {JobState.FAILED: _FAILED, JobState.REJECTED: refused}.get(state)
    is_inline = given.get("response_format") == "b64_json"
    form, files = (
        ("b64_json", await inline_files(job)) if is_inline else ("url", engine.file_urls(request, job))
    )
    data = [{"error": error}] if error else [{form: file, "size": given["size"]} for file in files]
    return JSONResponse({"model": visit.model, "created": job.created_ms // MS_PER_S, "data": data})


def _with_role(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body whose only image has the role of the first frame, which is its default."""
    parts = body.get("content")
    images = [
        part
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and part.get("type") == "image_url"
    ]
    if len(images) == 1:
        images[0].setdefault("role", "first_frame")
    return body


def _without_empty(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body without `null` values, because the vendor's client sends every field that it supports."""
    inner = {name: _without_empty(one) if isinstance(one, dict) else one for name, one in body.items()}
    return {name: value for name, value in inner.items() if value is not None}


def _input_of(visit: Visit, model: type[ModelInput] | None, given: dict[str, Any]) -> ModelInput | Response:
    """Return the input, or the error response for an invalid input."""
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    if model is None:
        return _error(404)
    try:
        asked = model.model_validate(given)
    except ValidationError as error:
        return _error(400, problem_of(error))
    width, _, height = str(given.get("size", "")).partition("x")
    area_px = int(width) * int(height) if height else models.LEAST_PX.get(visit.model, 0)
    if not models.LEAST_PX.get(visit.model, 0) <= area_px <= models.MOST_PX.get(visit.model, area_px):
        return _error(400, f"size: {area_px} pixels")
    return asked


def _job(engine: Engine, request: Request, task_id: str) -> Job | Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    job = engine.find(task_id)
    return _error(404) if job is None or job.owner != key else job


def _error(status: int, message: str | None = None) -> Response:
    code, kind = _ERRORS.get(status, _OTHER_ERROR)
    shown = message or f"The request was refused. Request id: {secrets.token_hex(8)}"
    return JSONResponse({"error": {"code": code, "message": shown, "param": "", "type": kind}}, status)
