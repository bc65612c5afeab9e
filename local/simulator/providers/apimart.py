"""APIMart: `POST /v1/images|videos/generations`, `/v1/midjourney/generations/…`, `/v1/music/generations/…`.

Each section has a separate path for status: `/v1/tasks/{id}`, `/v1/midjourney/{id}`, `/v1/music/tasks/{id}`
(docs/providers/apimart.md; APIMart's documentation). The error types are INFERRED, except for 400, 401, 402
and 429. Follow-ups on a task that does not exist or is not done are refused.
"""

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job
from local.simulator.providers import apimart_answers, table
from local.simulator.providers.apimart_models import IMAGES, MIDJOURNEY, VIDEOS
from local.simulator.providers.apimart_music import MUSIC

_ERRORS = {
    400: ("Invalid request", "invalid_request_error"),
    401: ("Invalid token", "authentication_error"),
    402: ("Insufficient balance", "payment_required"),
    404: ("Task not found", "invalid_request_error"),
    429: ("Too many requests", "rate_limit_error"),
}
_OTHER_ERROR = ("Something went wrong", "server_error")
_NO_SUCH_TASK = "task_not_exist"


def _read_model(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    return _asked(request, body.get("model"), {name: body[name] for name in body if name != "model"})


def _read_path(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    return _asked(request, request.url.path.partition("/v1/")[2], body)


def _asked(request: Request, model: Any, given: dict[str, Any]) -> table.Asked | table.Refused:
    # A repeated key returns the same task, which already exists.
    key = request.headers.get("idempotency-key")
    sign = secrets.token_hex(13) if key is None else sha256(key.encode()).hexdigest()[:26]
    if not given:
        return table.Refused(400)
    return table.Asked(model, given, f"task_{sign.upper()}", prompt=given.get("gpt_description"))


def _check(engine: Engine, key: str, asked: table.Asked) -> table.Refused | Job | None:
    reason = _bad_source(engine, key, asked.model, asked.given)
    return table.Refused(400, reason, code=_NO_SUCH_TASK) if reason else engine.find(asked.job_id or "")


def _bad_source(engine: Engine, key: str, model: str, said: Mapping[str, Any]) -> str | None:
    """Return the problem with the earlier tasks that a job uses, or with a part of them."""
    named = [said.get("task_id"), said.get("extend_from_task_id"), *said.get("task_ids", [])]
    tracks = [said.get("audio_index", 1), 1, *said.get("audio_indexes", [1, 1])]
    for task_id, track in zip(named, tracks, strict=False):
        if task_id is None:
            continue
        job = engine.find(task_id)
        if job is None or not table.is_done(engine, key, task_id):
            return f"task {task_id} does not exist or is not done"
        if track > len(job.artifacts):
            return f"task {task_id} has no track {track}"
        if model.endswith("/modal") and not job.model.endswith("/inpaint"):
            return f"task {task_id} waits for nothing"
        if said.get("custom_id") and not said["custom_id"].endswith(f"::{job.id}"):
            return f"task {task_id} has no such button"
    return None


def _accepted(shown: table.Shown) -> dict[str, Any]:
    return {"code": 200, "data": [{"status": "submitted", "task_id": shown.job.id}]}


def _error(refused: table.Refused) -> Response:
    usual, kind = _ERRORS.get(refused.status, _OTHER_ERROR)
    error = {"code": refused.code or refused.status, "message": refused.why or usual, "type": kind}
    return JSONResponse({"error": error}, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        tells_bad_key=True,
        error=_error,
        error_in_200=lambda: {"code": 500, "message": "The upstream is busy", "data": None},
        no_model=table.Refused(404, "model not found"),
        no_job=table.Refused(404),
        invalid=table.BAD_REQUEST,
        check=_check,
        submits=(
            table.Submit("/v1/images/generations", IMAGES, _read_model, _accepted),
            table.Submit("/v1/videos/generations", VIDEOS, _read_model, _accepted),
            table.Submit("/v1/midjourney/generations/{action}", MIDJOURNEY, _read_path, _accepted),
            table.Submit("/v1/music/generations", MUSIC, _read_path, _accepted),
            table.Submit("/v1/music/generations/{action}", MUSIC, _read_path, _accepted),
        ),
        looks=(
            table.Look("/v1/tasks/{id}", apimart_answers.task),
            table.Look("/v1/midjourney/{id}", apimart_answers.midjourney),
            table.Look("/v1/music/tasks/{id}", apimart_answers.music),
        ),
    )
)
"""APIMart's routes; their prefix is the adapter's base URL."""
