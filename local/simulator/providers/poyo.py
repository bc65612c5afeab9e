"""PoYo's unified API: `POST /api/generate/submit`, `GET /api/generate/status/{task_id}`.

Music jobs are polled at `GET /api/generate/detail/music?task_id=` (PoYo's API manual). Callbacks
(`callback_url`) are not sent. Only the error type `invalid_request_error` is published; the other types are
INFERRED, and that an invalid input is refused at submit.
"""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field, ValidationError, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.media import Artifact
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.png import Png
from local.simulator.media.shapes import aspect, image_size_px
from local.simulator.providers import poyo_models as models
from local.simulator.providers import table
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput
from local.simulator.providers.poyo_music import entries, job_of
from local.simulator.wire import MAX_PROMPT_CHARS, api_key, json_object, text

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = table.words("not_started", "running", "finished", "failed")
_ERRORS = {
    400: ("Invalid parameter", "invalid_request_error"),
    401: ("Invalid API key", "authentication_error"),
    402: ("Insufficient credits", "insufficient_credits_error"),
    403: ("This task belongs to another user", "permission_error"),
    404: ("Task not found", "not_found_error"),
    429: ("Too many requests", "rate_limit_error"),
}
_OTHER_ERROR = ("Something went wrong", "api_error")


class ZImage(ModelInput):
    """Input of `z-image`. With an image it edits; without an image it requires a size."""

    prompt: Annotated[str, Field(min_length=1, max_length=1_000)]
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16"] | None = None
    image_urls: Annotated[list[str], Field(min_length=1, max_length=1)] | None = None
    enable_safety_checker: bool = True

    @model_validator(mode="after")
    def _has_size_or_image(self) -> "ZImage":
        if self.size is None and self.image_urls is None:
            raise ValueError("size")
        return self

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's images."""
        width, height = image_size_px(self.size or "1:1")
        caption, seed = text(self.prompt), seed_of(self.prompt)
        return [Png(width, height, caption, label, seed + index) for index in range(count)]


class Seedance(ModelInput):
    """Input of `seedance-1.5-pro`."""

    prompt: Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_CHARS)]
    image_urls: Annotated[list[str], Field(default_factory=list, max_length=2)]
    aspect_ratio: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"] = "16:9"
    resolution: Literal["480p", "720p", "1080p"] = "720p"
    duration: Literal[4, 8, 12] = 8
    generate_audio: bool = False
    fixed_lens: bool = False

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's videos."""
        shape, caption, seed = aspect(self.aspect_ratio), text(self.prompt), seed_of(self.prompt)
        return [
            Mp4(shape, self.duration, self.generate_audio, caption, label, seed + index)
            for index in range(count)
        ]


_MODELS: Mapping[str, type[ModelInput]] = {
    **models.MODELS,
    "z-image": ZImage,
    "seedance-1.5-pro": Seedance,
}


def router(engine: Engine) -> APIRouter:
    """Return PoYo's routes; their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/api/generate/submit")
    async def submit(request: Request) -> Response:
        return await _submit(engine, request)

    @routes.get("/api/generate/status/{task_id}")
    async def status(task_id: str, request: Request) -> Response:
        return _status(engine, request, task_id)

    @routes.get("/api/generate/detail/music")
    async def music(request: Request) -> Response:
        return _status(engine, request, request.query_params.get("task_id", ""))

    return routes


async def _submit(engine: Engine, request: Request) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    body = await json_object(request)
    if body is None or not isinstance(body.get("input"), dict):
        return _error(400, "Invalid parameter: input")
    model, given = text(body.get("model")), body["input"]
    visit = engine.receive(model, text(given.get("prompt")))
    task_id = _task_id(engine, request.headers.get("idempotency-key"))
    return await _place(engine, visit, key, given, task_id=task_id, callback_url=body.get("callback_url"))


async def _place(
    engine: Engine, visit: Visit, key: str, given: dict[str, Any], *, task_id: str, callback_url: Any
) -> Response:
    if visit.refused_status is not None:
        return _error(visit.refused_status)
    if visit.directions.error_in_200:
        return JSONResponse({"code": 500, "data": {"error": {"message": "The upstream is busy"}}})
    if visit.directions.reject:
        return _error(400, "The prompt breaks the content policy")
    asked = _read(engine, visit.model, given)
    if isinstance(asked, str):
        return _error(400, f"Invalid parameter: {asked}")
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    known = engine.find(task_id)
    job = known or await engine.accept(visit, task_id, key, artifacts, callback_url)
    return _answer({"task_id": job.id, "status": "not_started", "created_time": _time(job)})


def _status(engine: Engine, request: Request, task_id: str) -> Response:
    key = api_key(request, "Bearer")
    if key is None:
        return _error(401)
    job = engine.find(task_id)
    if job is None:
        return _error(404)
    if job.owner != key:
        return _error(403)
    state = engine.poll(job)
    return _answer(
        {
            "task_id": job.id,
            "status": _STATUSES[state],
            "progress": engine.progress(job),
            "files": _files(engine, request, job) if state is JobState.SUCCEEDED else [],
            "created_time": _time(job),
            "error_message": "Generation failed" if state is JobState.FAILED else None,
        }
    )


def _read(engine: Engine, model: str, given: dict[str, Any]) -> ModelInput | str:
    """Return the input, or the name of the invalid field."""
    model_input = input_of(engine.provider, model, _MODELS)
    if model_input is None:
        return "model"
    try:
        asked = model_input.model_validate(given)
    except ValidationError as error:
        return _field(error)
    return _unknown_source(engine, asked) or asked


def _unknown_source(engine: Engine, asked: ModelInput) -> str | None:
    """Return the field that refers to an earlier task or track which does not exist."""
    said = asked.said()
    tasks = {"task_id": said.get("task_id"), "audio_id": job_of(said.get("audio_id", ""))}
    named = {field: task for field, task in tasks.items() if field in said}
    return next((field for field, task in named.items() if engine.find(str(task)) is None), None)


def _files(engine: Engine, request: Request, job: Job) -> list[dict[str, Any]]:
    urls = engine.file_urls(request, job)
    if request.url.path.endswith("/detail/music"):
        return entries(job, urls)
    return [
        {"file_url": url, "file_type": artifact.kind}
        for url, artifact in zip(urls, job.artifacts, strict=True)
    ]


def _field(error: ValidationError) -> str:
    first = error.errors()[0]
    return str(first["loc"][0]) if first["loc"] else "size"


def _task_id(engine: Engine, idempotency_key: str | None) -> str:
    """Return the id of a task. The same key returns the same id, whose task already exists."""
    if idempotency_key is not None:
        return f"task-unified-0-{sha256(idempotency_key.encode()).hexdigest()[:16]}"
    return f"task-unified-{engine.now_ms() // MS_PER_S}-{secrets.token_hex(4)}"


def _time(job: Job) -> str:
    return datetime.fromtimestamp(job.created_ms // MS_PER_S, UTC).replace(tzinfo=None).isoformat()


def _answer(data: dict[str, Any]) -> Response:
    return JSONResponse({"code": 200, "data": data})


def _error(status: int, message: str | None = None) -> Response:
    usual_message, kind = _ERRORS.get(status, _OTHER_ERROR)
    return JSONResponse(
        {"code": status, "error": {"message": message or usual_message, "type": kind}}, status
    )
