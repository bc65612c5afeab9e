"""DashScope: videos and images as tasks, and images in the response.

Tasks: `POST` with `X-DashScope-Async: enable`, `GET /api/v1/tasks/{id}`, `POST …/{id}/cancel`.
"""

import uuid
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.media.mp4 import Mp4
from local.simulator.providers import dashscope_models as models
from local.simulator.providers import table

_SERVICES = "/api/v1/services/aigc"
_STATUSES = table.words("PENDING", "RUNNING", "SUCCEEDED", "FAILED", cancelled="CANCELED")
_FAULTS = {
    JobState.FAILED: {"code": "InternalError.Algo", "message": "The algorithm had a fault."},
    JobState.REJECTED: {"code": "DataInspectionFailed", "message": "Output data may be inappropriate."},
}
_CODES = {
    400: "InvalidParameter",
    401: "InvalidApiKey",
    402: "Arrearage",
    403: "AccessDenied",
    404: "ModelNotFound",
    429: "Throttling.RateQuota",
    503: "ModelUnavailable",
}
_NOT_ASYNC = "current user api does not support synchronous calls"

_CLIENTS_OWN = frozenset({"extend_prompt", "function", "is_async"})


def _read_task(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    if request.headers.get("x-dashscope-async") != "enable":
        return table.Refused(403, _NOT_ASYNC)
    return _read(request, body)


def _read(_: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    try:
        return table.Asked(body.get("model"), _flat(body))
    except (KeyError, TypeError, ValueError):
        return table.Refused(400, "input cannot be read")


def _flat(body: dict[str, Any]) -> dict[str, Any]:
    """Return input and parameters as fields of one input, with media by kind."""
    said = {**body["input"], **body["parameters"]}
    # The vendor's client adds internal fields, and an empty prompt.
    given = {name: value for name, value in said.items() if name not in _CLIENTS_OWN and value is not None}
    media = [(part["type"], part["url"]) for part in given.pop("media", [])]
    for message in given.pop("messages", []):
        media += [pair for part in message["content"] for pair in part.items()]
    for kind, value in media:
        if kind in models.LISTS:
            given.setdefault(kind, []).append(value)
        elif kind in given:
            raise ValueError(kind)
        else:
            given["prompt" if kind == "text" else kind] = value
    return given


def _accepted(shown: table.Shown) -> dict[str, Any]:
    return _answer({"task_id": shown.job.id, "task_status": "PENDING"})


def _finished(shown: table.Shown) -> table.Answer:
    if shown.is_done:
        return _answer(_files(shown))
    fault = _FAULTS[shown.state]
    return table.Refused(
        400 if shown.state is JobState.REJECTED else 500, fault["message"], code=fault["code"]
    )


def _task(shown: table.Shown) -> dict[str, Any]:
    output = {"task_id": shown.job.id, "task_status": _STATUSES[shown.state]}
    files = _files(shown) if shown.is_done else {}
    return _answer({**output, **_FAULTS.get(shown.state, {}), **files})


def _unknown(request: Request) -> dict[str, Any]:
    return _answer({"task_id": request.path_params["id"], "task_status": "UNKNOWN"})


def _files(shown: table.Shown) -> dict[str, Any]:
    if isinstance(shown.job.artifacts[0], Mp4):
        return {"video_url": shown.urls[0], "orig_prompt": shown.job.prompt}
    content = [{"type": "image", "image": url} for url in shown.urls]
    return {
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "finished": True,
    }


def _answer(output: dict[str, Any]) -> dict[str, Any]:
    return {"request_id": _new_id(), "output": output, "usage": {}}


def _error_in_200() -> dict[str, Any]:
    return {"code": "InternalError", "message": "A fault.", "request_id": _new_id()}


def _error(refused: table.Refused) -> Response:
    code = refused.code or _CODES.get(refused.status, "InternalError")
    message = refused.why or "The request was refused."
    return JSONResponse({"code": code, "message": message, "request_id": _new_id()}, refused.status)


def _new_id() -> str:
    return str(uuid.uuid4())


_NOT_PENDING = table.Refused(400, "It is not pending.", code="UnsupportedOperation")
router = table.router(
    table.Wire(
        key=table.bearer,
        tells_bad_key=True,
        error=_error,
        error_in_200=_error_in_200,
        invalid=table.BAD_REQUEST,
        new_id=_new_id,
        submits=(
            table.Submit(
                f"{_SERVICES}/video-generation/video-synthesis", models.VIDEOS, _read_task, _accepted
            ),
            table.Submit(f"{_SERVICES}/image-generation/generation", models.IMAGES, _read_task, _accepted),
            table.Submit(
                f"{_SERVICES}/multimodal-generation/generation",
                models.IMAGES_AT_ONCE,
                _read,
                _finished,
                at_once=True,
            ),
        ),
        looks=(
            table.Look("/api/v1/tasks/{id}", _task, missing=_unknown),
            table.Look(
                "/api/v1/tasks/{id}/cancel",
                lambda _: {"request_id": _new_id()},
                method="POST",
                missing=lambda _: _NOT_PENDING,
                acts={
                    **dict.fromkeys((JobState.RUNNING, *table.ENDED), _NOT_PENDING),
                    JobState.QUEUED: Engine.cancel,
                },
            ),
        ),
    )
)
"""The media routes. The text routes are beside them, at `/v1` below the same prefix."""
