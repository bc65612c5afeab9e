"""PoYo's unified API: `POST /api/generate/submit`, `GET /api/generate/status/{task_id}`.

Music jobs are polled at `GET /api/generate/detail/music?task_id=` (PoYo's API manual). Callbacks
(`callback_url`) are not sent. Only the error type `invalid_request_error` is published; the other types are
INFERRED, and that an invalid input is refused at submit.
"""

import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.media import Artifact
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.picture import Picture
from local.simulator.media.shapes import aspect, image_size_px
from local.simulator.providers import poyo_models as models
from local.simulator.providers import table
from local.simulator.providers.inputs import ModelInput
from local.simulator.providers.poyo_music import entries, job_of
from local.simulator.wire import MAX_PROMPT_CHARS, text

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
        return [Picture(width, height, caption, label, seed + index) for index in range(count)]


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


def _read(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    if not isinstance(body.get("input"), dict):
        return table.Refused(table.BAD_REQUEST, "Invalid parameter: input")
    key = request.headers.get("idempotency-key")
    # The same key has the same id, whose task already exists.
    job_id = None if key is None else f"task-unified-0-{sha256(key.encode()).hexdigest()[:16]}"
    return table.Asked(body.get("model"), body["input"], job_id, body.get("callback_url"))


def _check(engine: Engine, key: str, asked: table.Asked) -> table.Refused | Job | None:  # noqa: ARG001 - the shape of `check`
    """Refuse a field that refers to an earlier task or track which does not exist."""
    tasks = {"task_id": asked.given.get("task_id"), "audio_id": job_of(asked.given.get("audio_id", ""))}
    named = {field: task for field, task in tasks.items() if field in asked.given}
    unknown = next((field for field, task in named.items() if engine.find(str(task)) is None), None)
    if unknown is not None:
        return table.Refused(table.BAD_REQUEST, f"Invalid parameter: {unknown}")
    return engine.find(asked.job_id) if asked.job_id else None


def _accepted(shown: table.Shown) -> dict[str, Any]:
    data = {"task_id": shown.job.id, "status": "not_started", "created_time": _time(shown.job)}
    return {"code": 200, "data": data}


def _status(shown: table.Shown) -> dict[str, Any]:
    data = {
        "task_id": shown.job.id,
        "status": _STATUSES[shown.state],
        "progress": shown.progress,
        "files": _files(shown) if shown.is_done else [],
        "created_time": _time(shown.job),
        "error_message": "Generation failed" if shown.state is JobState.FAILED else None,
    }
    return {"code": 200, "data": data}


def _files(shown: table.Shown) -> list[dict[str, Any]]:
    if shown.request.url.path.endswith("/detail/music"):
        return entries(shown.job, shown.urls)
    return [
        {"file_url": url, "file_type": artifact.kind}
        for url, artifact in zip(shown.urls, shown.job.artifacts, strict=True)
    ]


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"Invalid parameter: {first['loc'][0] if first['loc'] else 'size'}"


def _time(job: Job) -> str:
    return datetime.fromtimestamp(job.created_ms // MS_PER_S, UTC).replace(tzinfo=None).isoformat()


def _error(refused: table.Refused) -> Response:
    usual, kind = _ERRORS.get(refused.status, _OTHER_ERROR)
    error = {"message": refused.why or usual, "type": kind}
    return JSONResponse({"code": refused.status, "error": error}, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        submits=(table.Submit("/api/generate/submit", _MODELS, _read, _accepted),),
        looks=(
            table.Look("/api/generate/status/{id}", _status),
            table.Look("/api/generate/detail/music", _status, job_id=table.in_query("task_id")),
        ),
        no_model=table.Refused(table.BAD_REQUEST, "Invalid parameter: model"),
        no_job=table.Refused(404),
        other_owner=table.Refused(403),
        invalid=table.BAD_REQUEST,
        problem=_problem,
        rejected=table.Refused(table.BAD_REQUEST, "The prompt breaks the content policy"),
        error_in_200=lambda: {"code": 500, "data": {"error": {"message": "The upstream is busy"}}},
        tells_bad_key=True,
        new_id=lambda: f"task-unified-{int(time.time())}-{secrets.token_hex(4)}",
        check=_check,
    )
)
"""PoYo's routes; their prefix is the adapter's base URL."""
