"""Kling's API, both generations (docs/providers/kling.md). Callbacks are not sent.

3.0: `POST /text-to-video/{model}`, `/image-to-video/{model}`, `/motion-control/{model}`, polled at `GET
/tasks`. Older models: `POST /v1/videos/text2video` and `/v1/videos/image2video`, polled at the same path. A
job has its caller's id, so that it can be found after its response was lost.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.kling_models import CLASSIC, CURRENT, external_id, of_current

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = table.words("submitted", "processing", "succeeded", "failed")
_MESSAGES = {JobState.FAILED: "Generation failed", JobState.REJECTED: "Failed the risk control"}
_CODES = {401: 1002, 402: 1102, 403: 1103, 404: 1203, 422: 1201, 429: 1303, 500: 5000, 503: 5001}
_HTTP = {402: 429, 422: 400}
"""The status is 429 for an empty account, and 400 for an invalid input."""


def _read_current(request: Request, body: dict[str, Any]) -> table.Asked:
    given = of_current(body)
    return table.Asked("{kind}/{model}".format(**request.path_params), given, external_id(given))


def _read_classic(request: Request, body: dict[str, Any]) -> table.Asked:
    model = f"{request.path_params['kind']}/{body.pop('model_name', '')}"
    return table.Asked(model, body, external_id(body))


def _asked_id(request: Request) -> str:
    query = request.query_params
    return query.get("task_ids") or query.get("external_task_ids", "")


def _current(shown: table.Shown) -> dict[str, Any]:
    task = {
        "id": shown.job.id,
        "status": _STATUSES[shown.state],
        "message": _MESSAGES.get(shown.state, ""),
        "outputs": [{"type": "video", "url": url} for url in shown.urls],
    }
    return _answer([task])


def _classic(shown: table.Shown) -> dict[str, Any]:
    task = {
        "task_id": shown.job.id,
        # The older generation's name of the status.
        "task_status": "succeed" if shown.is_done else _STATUSES[shown.state],
        "task_status_msg": _MESSAGES.get(shown.state, ""),
        "task_result": {"videos": [{"url": url} for url in shown.urls]},
    }
    return _answer(task)


def _answer(data: Any) -> dict[str, Any]:
    return {"code": 0, "message": "SUCCEED", "data": data}


def _error(refused: table.Refused) -> Response:
    code = _CODES.get(refused.status, 5000)
    return JSONResponse({"code": code, "message": refused.said}, _HTTP.get(refused.status, refused.status))


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        no_job=table.Refused(404, "No such task"),
        submits=(
            table.Submit(
                "/{kind}/{model}",
                CURRENT,
                _read_current,
                lambda shown: _answer({"id": shown.job.id, "status": "submitted"}),
            ),
            table.Submit(
                "/v1/videos/{kind}",
                CLASSIC,
                _read_classic,
                lambda shown: _answer({"task_id": shown.job.id, "task_status": "submitted"}),
            ),
        ),
        looks=(
            table.Look("/tasks", _current, job_id=_asked_id, missing=lambda _: _answer([])),
            table.Look("/v1/videos/{kind}/{id}", _classic),
        ),
    )
)
"""Kling's routes; their prefix is the adapter's base URL."""
