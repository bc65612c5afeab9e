"""MiniMax's older videos (docs/providers/minimax.md).

`POST /v1/video_generation`, `GET /v1/query/video_generation?task_id=`, `GET /v1/files/retrieve?file_id=`.
Every error is an HTTP 200 with its number in `base_resp`. Callbacks (`callback_url`) are neither registered
nor sent. The number for a failed task without a specific reason is INFERRED.
"""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers.desk import Refused, body_of, own_job, taken
from local.simulator.providers.inputs import ModelInput, Prompt, Url, needed, one, videos
from local.simulator.wire import api_key

_OK = (0, "success")
_UNKNOWN_TASK = (2013, "invalid params, task_id")
_BAD_KEY = (1004, "login fail")
_CODES = {401: _BAD_KEY, 402: (1008, "insufficient balance"), 429: (1002, "rate limit"), 422: (2013, "")}
_OTHER = (1000, "unknown error")
_STATUSES = {
    JobState.QUEUED: "Queueing",
    JobState.RUNNING: "Processing",
    JobState.SUCCEEDED: "Success",
    JobState.FAILED: "Fail",
    JobState.REJECTED: "Fail",
}
_FAULTS = {
    JobState.FAILED: (1013, "internal error"),
    JobState.REJECTED: (1027, "the video is sensitive"),
}
_FILE_MARK = "file-"
"""A file's id is this prefix and its task's id."""
_ANY: dict[str, Any] = {
    "duration": one(6, 10),
    "first_frame_image": Url,
    "prompt_optimizer": bool,
    "fast_pretreatment": bool,
    "callback_url": Url,
}
_LATER: dict[str, Any] = {**_ANY, "resolution": one("768P", "1080P")}
_MODELS: dict[str, type[ModelInput]] = {
    "MiniMax-Hailuo-2.3": videos(**_LATER),
    "MiniMax-Hailuo-2.3-Fast": videos(**{**_LATER, "first_frame_image": needed(Url)}),
    "MiniMax-Hailuo-02": videos(
        **{**_ANY, "prompt": Prompt, "last_frame_image": Url, "resolution": one("512P", "768P", "1080P")}
    ),
}


def router(engine: Engine) -> APIRouter:
    """Return the routes. The text routes share their prefix."""
    routes = APIRouter(prefix="/v1")

    @routes.post("/video_generation")
    async def create(request: Request) -> Response:
        given = await body_of(request)
        model = given.pop("model", "")
        job = await taken(engine, api_key(request, "Bearer"), model, given, _MODELS)
        if isinstance(job, Refused):
            code, message = _CODES.get(job.status, _OTHER)
            return _answer((code, message or job.why), task_id="")
        return _answer(_OK, task_id=job.id)

    @routes.get("/query/video_generation")
    async def query(request: Request) -> Response:
        job = _job(engine, request, request.query_params.get("task_id", ""))
        return _answer(_problem(request)) if job is None else _shown(engine, job)

    @routes.get("/files/retrieve")
    async def retrieve(request: Request) -> Response:
        file_id = request.query_params.get("file_id", "")
        job = _job(engine, request, file_id.removeprefix(_FILE_MARK))
        if job is None or engine.state(job) is not JobState.SUCCEEDED:
            return _answer(_problem(request))
        url = engine.file_urls(request, job)[0]
        return _answer(_OK, file={"file_id": file_id, "filename": "output_aigc.mp4", "download_url": url})

    return routes


def _job(engine: Engine, request: Request, task_id: str) -> Job | None:
    key = api_key(request, "Bearer")
    return None if key is None else own_job(engine, key, task_id)


def _problem(request: Request) -> tuple[int, str]:
    return _BAD_KEY if api_key(request, "Bearer") is None else _UNKNOWN_TASK


def _shown(engine: Engine, job: Job) -> Response:
    state = engine.poll(job)
    is_done = state is JobState.SUCCEEDED
    file_id = f"{_FILE_MARK}{job.id}" if is_done else ""
    return _answer(_FAULTS.get(state, _OK), task_id=job.id, status=_STATUSES[state], file_id=file_id)


def _answer(said: tuple[int, str], **fields: Any) -> Response:
    code, message = said
    return JSONResponse({**fields, "base_resp": {"status_code": code, "status_msg": message}})
