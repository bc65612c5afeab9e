"""ModelArk: `POST/GET/DELETE /api/v3/contents/generations/tasks[/{id}]`, `POST /api/v3/images/generations`.

Callbacks (`callback_url`) are not sent. The response contains the images, with an error in place of a refused
image.
"""

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers import ark_models as models
from local.simulator.providers import table
from local.simulator.providers.content import flat

_TASKS = "/api/v3/contents/generations/tasks"
_STATUSES = table.words("queued", "running", "succeeded", "failed", cancelled="cancelled")
_REFUSED = {"code": "OutputVideoSensitiveContentDetected", "message": "The output video may be sensitive."}
_IMAGE_REFUSED = {
    "code": "OutputImageSensitiveContentDetected",
    "message": "The output image may be sensitive.",
}
_FAILED = {"code": "InternalServiceError", "message": "The service had a fault."}
_ERRORS = {
    400: ("InvalidParameter", "BadRequest"),
    401: ("AuthenticationError", "Unauthorized"),
    402: ("AccountOverdueError", "Forbidden"),
    403: ("AccessDenied", "Forbidden"),
    404: ("InvalidEndpointOrModel.NotFound", "NotFound"),
    429: ("RateLimitExceeded.EndpointRPMExceeded", "TooManyRequests"),
}
_OTHER_ERROR = ("InternalServiceError", "InternalServerError")


def _read_task(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    try:
        return table.in_body(request, flat(_with_role(_without_empty(body))))
    except ValueError as error:
        return table.Refused(400, str(error))


def _read_image(_: Request, body: dict[str, Any]) -> table.Asked:
    given = _without_empty(body)
    is_inline = given.get("response_format") == "b64_json"
    return table.Asked(given.pop("model", None), given, is_inline=is_inline)


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


def _check(_: Engine, __: str, asked: table.Asked) -> table.Refused | None:
    """Refuse a size with too few or too many pixels."""
    width, _x, height = asked.given.get("size", "").partition("x")
    least_px, most_px = models.LEAST_PX.get(asked.model, 0), models.MOST_PX.get(asked.model)
    area_px = int(width) * int(height) if height else least_px
    if area_px < least_px or (most_px is not None and area_px > most_px):
        return table.Refused(400, f"size: {area_px} pixels")
    return None


def _task(shown: table.Shown) -> dict[str, Any]:
    urls = [*shown.urls, None, None]
    return {
        "id": shown.job.id,
        "model": shown.job.model,
        "status": _STATUSES[shown.state],
        "error": {JobState.FAILED: _FAILED, JobState.REJECTED: _REFUSED}.get(shown.state),
        "content": {"video_url": urls[0], "last_frame_url": urls[1]},
        "created_at": shown.job.created_ms // MS_PER_S,
        "updated_at": shown.engine.now_ms() // MS_PER_S,
    }


def _images(shown: table.Shown) -> dict[str, Any]:
    error = {JobState.FAILED: _FAILED, JobState.REJECTED: _IMAGE_REFUSED}.get(shown.state)
    form = "b64_json" if shown.inline else "url"
    files = [{form: file, "size": shown.given["size"]} for file in shown.inline or shown.urls]
    created = shown.job.created_ms // MS_PER_S
    return {"model": shown.job.model, "created": created, "data": [{"error": error}] if error else files}


def _error(refused: table.Refused) -> Response:
    code, kind = _ERRORS.get(refused.status, _OTHER_ERROR)
    message = refused.why or f"The request was refused. Request id: {secrets.token_hex(8)}"
    error = {"code": code, "message": message, "param": "", "type": kind}
    return JSONResponse({"error": error}, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        tells_bad_key=True,
        error=_error,
        no_job=table.Refused(404),
        invalid=table.BAD_REQUEST,
        new_id=lambda: f"cgt-{secrets.token_hex(8)}",
        check=_check,
        submits=(
            table.Submit(_TASKS, models.VIDEOS, _read_task, lambda shown: {"id": shown.job.id}),
            table.Submit("/api/v3/images/generations", models.IMAGES, _read_image, _images, at_once=True),
        ),
        looks=(
            table.Look(f"{_TASKS}/{{id}}", _task),
            table.Look(
                f"{_TASKS}/{{id}}",
                lambda _: {},
                method="DELETE",
                acts={
                    JobState.QUEUED: Engine.cancel,
                    JobState.RUNNING: table.Refused(409, "A running task cannot be deleted"),
                    **dict.fromkeys(table.ENDED, Engine.forget),
                },
            ),
        ),
    )
)
"""ModelArk's routes. `/api/v3` below their prefix is the adapter's base URL."""
