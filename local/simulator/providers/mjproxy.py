"""A midjourney-proxy: `POST /mj/submit/imagine|change|video`, `GET /mj/task/{id}/fetch`.

Source: docs/providers/mjproxy.md.

The paths may be below a speed (`/mj-fast`), as at relays. The four images of a grid are one file. Callbacks
(`notifyHook`) are not sent. The HTTP status of an error, in addition to its code, is INFERRED.
"""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import ImageInput, ModelInput, Url, images, made, needed, one, videos

_SPEEDS = ("", "/{speed}")
_TAKEN, _BAD_REQUEST, _FAILURE, _FULL = 1, 4, 5, 23
_CODES = {404: _BAD_REQUEST, 422: _BAD_REQUEST, 429: _FULL}
"""The codes by error. These errors have HTTP status 200."""
_STATUSES = table.words("SUBMITTED", "IN_PROGRESS", "SUCCESS", "FAILURE")
_REASONS = {
    JobState.FAILED: "[Internal error] Something went wrong",
    JobState.REJECTED: "[Banned prompt detected]",
}
_ANY: dict[str, Any] = {"notifyHook": Url, "state": str}
_EARLIER: dict[str, Any] = {**_ANY, "taskId": needed(str)}
_OF_ONE: dict[str, Any] = {**_EARLIER, "index": needed(one(1, 2, 3, 4))}
MODELS: Mapping[str, type[ModelInput]] = {
    "imagine": images(**_ANY, base64Array=list[str], botType=one("MID_JOURNEY", "NIJI_JOURNEY")),
    "change/UPSCALE": made("Upscale", ImageInput, _OF_ONE),
    "change/VARIATION": made("Variation", ImageInput, _OF_ONE),
    "change/REROLL": made("Reroll", ImageInput, _EARLIER),
    "video": videos(**_ANY, image=needed(Url), motion=needed(one("low", "high"))),
}
"""The inputs by the last part of the path, with the actions on an earlier task by name."""


def _read(request: Request, body: dict[str, Any]) -> table.Asked:
    kind = request.path_params["kind"]
    return table.Asked(f"{kind}/{body.pop('action', '')}" if kind == "change" else kind, body)


def _check(engine: Engine, key: str, asked: table.Asked) -> table.Refused | None:
    earlier = asked.given.get("taskId")
    if earlier is None or table.is_done(engine, key, earlier):
        return None
    return table.Refused(table.INVALID, f"task {earlier} does not exist or is not done")


def _task(shown: table.Shown) -> dict[str, Any]:
    kind, _, change = shown.job.model.partition("/")
    files = {"videoUrl" if kind == "video" else "imageUrl": shown.urls[0]} if shown.is_done else {}
    return {
        "id": shown.job.id,
        "action": change or kind.upper(),
        "status": _STATUSES[shown.state],
        "prompt": shown.job.prompt,
        # The description of the submit, not of an image.
        "description": "Submit success",
        "submitTime": shown.job.created_ms,
        "progress": f"{shown.progress}%",
        "failReason": _REASONS.get(shown.state),
        **files,
    }


def _error(refused: table.Refused) -> Response:
    code = _CODES.get(refused.status)
    status = refused.status if code is None else 200
    return JSONResponse(_answer(_FAILURE if code is None else code, refused.said), status)


def _answer(code: int, description: str, result: str | None = None) -> dict[str, Any]:
    return {"code": code, "description": description, "result": result, "properties": {}}


router = table.router(
    table.Wire(
        key=table.key_in("mj-api-secret"),
        error=_error,
        no_job=table.Refused(404, "task_no_found"),
        check=_check,
        submits=tuple(
            table.Submit(
                f"{speed}/mj/submit/{{kind}}",
                MODELS,
                _read,
                lambda shown: _answer(_TAKEN, "Submit success", shown.job.id),
            )
            for speed in _SPEEDS
        ),
        looks=tuple(table.Look(f"{speed}/mj/task/{{id}}/fetch", _task) for speed in _SPEEDS),
    )
)
"""The routes, with and without a speed. Their prefix is the adapter's base URL."""
