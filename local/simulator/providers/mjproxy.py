"""A midjourney-proxy: `POST /mj/submit/imagine|change|video`, `GET /mj/task/{id}/fetch`.

Source: docs/providers/mjproxy.md.

The paths may be below a speed (`/mj-fast`), as at relays. The four images of a grid are one file. Callbacks
(`notifyHook`) are not sent. The HTTP status of an error, in addition to its code, is INFERRED.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers.desk import Refused, body_of, own_job, taken
from local.simulator.providers.inputs import ImageInput, ModelInput, Url, images, made, needed, one, videos
from local.simulator.wire import header_key

_TAKEN, _BAD_REQUEST, _FAILURE, _FULL = 1, 4, 5, 23
_CODES = {404: _BAD_REQUEST, 422: _BAD_REQUEST, 429: _FULL}
"""The codes by error. These errors have HTTP status 200."""
_STATUSES = {
    JobState.QUEUED: "SUBMITTED",
    JobState.RUNNING: "IN_PROGRESS",
    JobState.SUCCEEDED: "SUCCESS",
    JobState.FAILED: "FAILURE",
    JobState.REJECTED: "FAILURE",
}
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


def router(engine: Engine) -> APIRouter:
    """Return the routes, with and without a speed. Their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/{speed}/mj/submit/{kind}")
    @routes.post("/mj/submit/{kind}")
    async def submit(kind: str, request: Request) -> Response:
        return await _submit(engine, request, kind)

    @routes.get("/{speed}/mj/task/{task_id}/fetch")
    @routes.get("/mj/task/{task_id}/fetch")
    async def fetch(task_id: str, request: Request) -> Response:
        job = own_job(engine, _key(request), task_id)
        return _answer(_BAD_REQUEST, "task_no_found") if job is None else _task(engine, request, job)

    return routes


async def _submit(engine: Engine, request: Request, kind: str) -> Response:
    given, key = await body_of(request), _key(request)
    model = f"{kind}/{given.pop('action', '')}" if kind == "change" else kind
    earlier = given.get("taskId")
    if isinstance(earlier, str) and key is not None and not _is_done(engine, key, earlier):
        return _answer(_BAD_REQUEST, f"task {earlier} does not exist or is not done")
    job = await taken(engine, key, model, given, MODELS)
    if isinstance(job, Refused):
        code = _CODES.get(job.status)
        return _answer(_FAILURE, job.why, job.status) if code is None else _answer(code, job.why)
    return _answer(_TAKEN, "Submit success", result=job.id)


def _key(request: Request) -> str | None:
    return header_key(request, "mj-api-secret")


def _is_done(engine: Engine, key: str, task_id: str) -> bool:
    job = own_job(engine, key, task_id)
    return job is not None and engine.state(job) is JobState.SUCCEEDED


def _task(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.poll(job)
    kind, _, change = job.model.partition("/")
    name = "videoUrl" if kind == "video" else "imageUrl"
    urls = {name: engine.file_urls(request, job)[0]} if state is JobState.SUCCEEDED else {}
    return JSONResponse(
        {
            "id": job.id,
            "action": change or kind.upper(),
            "status": _STATUSES[state],
            "prompt": job.prompt,
            # The description of the submit, not of an image.
            "description": "Submit success",
            "submitTime": job.created_ms,
            "progress": f"{engine.progress(job)}%",
            "failReason": _REASONS.get(state),
            **urls,
        }
    )


def _answer(code: int, description: str, status: int = 200, result: str | None = None) -> Response:
    said = {"code": code, "description": description, "result": result, "properties": {}}
    return JSONResponse(said, status)
