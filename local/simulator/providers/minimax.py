"""MiniMax's videos.

`POST /v2/video_generation`, `GET /v2/query/video_generation/{task_id}`, `DELETE
/v2/video_generation/{task_id}`. Callbacks (`callback_url`) are neither registered nor sent. The API's first
version is in `minimax_first.py`.
"""

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers import minimax_first, table
from local.simulator.providers.content import MEDIA, flat
from local.simulator.providers.inputs import ModelInput, Url, needed, one, videos

_CREATE = "/v2/video_generation"
_STATUSES = table.words("queued", "running", "succeeded", "failed", cancelled="cancelled")
_NOT_DELETED = table.Refused(400, "this task cannot be deleted")
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


def _read(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    try:
        return table.in_body(request, flat(body))
    except ValueError as error:
        return table.Refused(400, str(error))


def _task_id(shown: table.Shown) -> dict[str, Any]:
    return {"task_id": shown.job.id}


def _task(shown: table.Shown) -> dict[str, Any]:
    task: dict[str, Any] = {
        "id": shown.job.id,
        "model": shown.job.model,
        "status": _STATUSES[shown.state],
        "created_at": shown.job.created_ms // MS_PER_S,
        "updated_at": shown.engine.now_ms() // MS_PER_S,
    }
    if shown.is_done:
        task["content"] = {"url": shown.urls[0]}
    if shown.state in _FAULTS:
        task["error"] = _FAULTS[shown.state]
    return {"task": task}


def _error(refused: table.Refused) -> Response:
    kind = _ERRORS.get(refused.status, "server_error")
    message = refused.why or "the request was refused"
    error = {"type": kind, "message": message, "http_code": str(refused.status)}
    body = {"type": "error", "error": error, "request_id": secrets.token_hex(8)}
    return JSONResponse(body, refused.status)


_WIRE = table.Wire(
    key=table.bearer,
    tells_bad_key=True,
    error=_error,
    no_model=table.Refused(400, "unknown model"),
    no_job=table.Refused(400, "invalid task_id"),
    invalid=table.BAD_REQUEST,
    new_id=lambda: str(secrets.randbits(48)),
    submits=(table.Submit(_CREATE, _MODELS, _read, _task_id),),
    looks=(
        table.Look("/v2/query/video_generation/{id}", _task),
        table.Look(
            f"{_CREATE}/{{id}}",
            _task_id,
            method="DELETE",
            acts={
                **dict.fromkeys(table.ENDED, Engine.forget),
                JobState.QUEUED: Engine.cancel,
                JobState.RUNNING: _NOT_DELETED,
                JobState.CANCELLED: _NOT_DELETED,
            },
        ),
    ),
)
router = table.router(minimax_first.WIRE, _WIRE)
"""The video routes. The text routes are beside them, at `/v1` below the same prefix."""
