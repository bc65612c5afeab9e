"""PiAPI: `POST /api/v1/task`, `GET` and `DELETE /api/v1/task/{id}` (docs/providers/piapi.md).

The code 200 for a deleted task, and 400 for a running task, are INFERRED.
"""

import uuid
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.media import Artifact
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import (
    ImageInput,
    ModelInput,
    Prompt,
    Url,
    VideoInput,
    made,
    needed,
    one,
)
from local.simulator.wire import BAD_KEY_MARK, json_object, text

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_GRID = 4
_STATUSES = {
    JobState.QUEUED: "pending",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "Completed",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
    JobState.CANCELLED: "failed",
}
_FAILURES = {
    JobState.FAILED: "Something went wrong",
    JobState.REJECTED: "The prompt was blocked",
    JobState.CANCELLED: "Cancelled",
}
_MESSAGES = {
    400: "Invalid request",
    401: "Invalid API key",
    402: "Insufficient credits",
    404: "Task not found",
    429: "Too many requests",
}


class GridInput(ImageInput):
    """The input of a Midjourney task: four images in one file, and each image separately."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the images."""
        return super().artifacts(label, _GRID if count == 1 else count)


class Hook(BaseModel):
    """The callback for the end of a task."""

    endpoint: Url
    secret: str


class Config(BaseModel):
    """The settings of a task besides its input."""

    webhook_config: Hook | None = None


_FOLLOW_UP = {"origin_task_id": needed(str)}
MODELS: Mapping[str, type[ModelInput]] = {
    "kling/video_generation": made(
        "Kling",
        VideoInput,
        {
            "prompt": needed(Prompt),
            "duration": Annotated[int, Field(ge=3, le=30)],
            "resolution": one("720p", "1080p"),
            "aspect_ratio": one("16:9", "9:16", "1:1", "21:9"),
            "enable_audio": bool,
            "version": needed(one("4.0", "4.0-flash")),
        },
    ),
    "midjourney/imagine": made(
        "Imagine",
        GridInput,
        {
            "prompt": needed(Prompt),
            "aspect_ratio": str,
            "process_mode": one("relax", "fast", "turbo"),
            "skip_prompt_check": bool,
        },
    ),
    "midjourney/describe": made(
        "Describe", ImageInput, {"image_url": needed(Url), "process_mode": one("relax", "fast", "turbo")}
    ),
    "midjourney/upscale": made(
        "Upscale", ImageInput, {**_FOLLOW_UP, "index": needed(one("1", "2", "3", "4"))}
    ),
    "midjourney/reroll": made("Reroll", GridInput, {**_FOLLOW_UP, "prompt": Prompt}),
}
"""By model and task type."""


def router(engine: Engine) -> APIRouter:
    """Return PiAPI's routes; their prefix is the adapter's base URL."""
    routes = APIRouter(prefix="/api/v1/task")

    @routes.post("")
    async def create(request: Request) -> Response:
        return await _create(engine, request)

    @routes.get("/{task_id}")
    async def get(request: Request, task_id: str) -> Response:
        job = _owned(engine, request, task_id)
        return job if isinstance(job, Response) else _shown(engine, request, job, engine.poll(job))

    @routes.delete("/{task_id}")
    async def cancel(request: Request, task_id: str) -> Response:
        job = _owned(engine, request, task_id)
        if isinstance(job, Response):
            return job
        if engine.state(job) is not JobState.QUEUED:
            return _error(400, "Only a pending task can be cancelled")
        engine.cancel(job)
        return JSONResponse({"code": 200, "data": None, "message": "success"})

    return routes


def _key(request: Request) -> str | None:
    key = request.headers.get("x-api-key", "")
    return key if key and BAD_KEY_MARK not in key.lower() else None


def _owned(engine: Engine, request: Request, task_id: str) -> Job | Response:
    key = _key(request)
    if key is None:
        return _error(401)
    job = engine.find(task_id)
    return job if job is not None and job.owner == key else _error(404)


async def _create(engine: Engine, request: Request) -> Response:
    key = _key(request)
    if key is None:
        return _error(401)
    body = await json_object(request)
    if body is None or not isinstance(body.get("input"), dict):
        return _error(400, "input is required")
    name = f"{text(body.get('model'))}/{text(body.get('task_type'))}"
    visit = engine.receive(name, text(body["input"].get("prompt")))
    return await _place(engine, request, visit, key, body)


async def _place(engine: Engine, request: Request, visit: Visit, key: str, body: dict[str, Any]) -> Response:
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    if visit.directions.error_in_200:
        return _error(500, http_status=200)
    model_input = input_of(engine.provider, visit.model, MODELS)
    if model_input is None:
        return _error(400, "unknown model or task type")
    try:
        asked = model_input.model_validate(body["input"])
        config = Config.model_validate(body.get("config", {}))
    except ValidationError as error:
        first = error.errors()[0]
        return _error(400, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    origin = asked.said().get("origin_task_id")
    if origin is not None and not _is_done(engine, key, origin):
        return _error(400, f"origin task {origin} does not exist or is not done")
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    hook = None if config.webhook_config is None else config.webhook_config.endpoint
    job = await engine.accept(visit, str(uuid.uuid4()), key, artifacts, hook)
    return _shown(engine, request, job, JobState.QUEUED)


def _is_done(engine: Engine, key: str, task_id: str) -> bool:
    job = engine.find(task_id)
    return job is not None and job.owner == key and engine.state(job) is JobState.SUCCEEDED


def _shown(engine: Engine, request: Request, job: Job, state: JobState) -> Response:
    model, _, task_type = job.model.partition("/")
    data = {
        "task_id": job.id,
        "model": model,
        "task_type": task_type,
        "status": _STATUSES[state],
        "output": {"progress": engine.progress(job), **_output(engine, request, job, state)},
        "error": {"code": 10_000 if state in _FAILURES else 0, "message": _FAILURES.get(state, "")},
    }
    return JSONResponse({"code": 200, "data": data, "message": "success"})


def _output(engine: Engine, request: Request, job: Job, state: JobState) -> dict[str, Any]:
    if state is not JobState.SUCCEEDED:
        return {"image_url": "", "image_urls": None}
    urls = engine.file_urls(request, job)
    if job.model.endswith("/describe"):
        return {"description": "a lighthouse at dusk"}
    if job.artifacts[0].kind == "video":
        return {"video": urls[0]}
    return {"image_url": urls[0], "image_urls": urls, "actions": ["reroll", "upscale1", "variation1"]}


def _error(code: int, message: str | None = None, http_status: int | None = None) -> Response:
    shown = message or _MESSAGES.get(code, "Server error")
    return JSONResponse({"code": code, "data": None, "message": shown}, http_status or code)
