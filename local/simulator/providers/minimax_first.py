"""MiniMax's older videos (docs/providers/minimax.md).

Every error is an HTTP 200 with its number in `base_resp`. Callbacks (`callback_url`) are neither registered
nor sent. The number for a failed task without a specific reason is INFERRED.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import ModelInput, Prompt, Url, needed, one, videos

_OK = (0, "success")
_UNKNOWN_TASK = (2013, "invalid params, task_id")
_BAD_KEY = (1004, "login fail")
_CODES = {401: _BAD_KEY, 402: (1008, "insufficient balance"), 429: (1002, "rate limit"), 422: (2013, "")}
_OTHER = (1000, "unknown error")
_STATUSES = table.words("Queueing", "Processing", "Success", "Fail")
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


def _shown(shown: table.Shown) -> dict[str, Any]:
    file_id = f"{_FILE_MARK}{shown.job.id}" if shown.is_done else ""
    said = _FAULTS.get(shown.state, _OK)
    return _answer(said, task_id=shown.job.id, status=_STATUSES[shown.state], file_id=file_id)


def _file(shown: table.Shown) -> dict[str, Any]:
    if not shown.is_done:
        return _answer(_UNKNOWN_TASK)
    file = {
        "file_id": f"{_FILE_MARK}{shown.job.id}",
        "filename": "output_aigc.mp4",
        "download_url": shown.urls[0],
    }
    return _answer(_OK, file=file)


def _missing(request: Request) -> dict[str, Any]:
    return _answer(_BAD_KEY if table.bearer(request) is None else _UNKNOWN_TASK)


def _error(refused: table.Refused) -> Response:
    code, message = _CODES.get(refused.status, _OTHER)
    return JSONResponse(_answer((code, message or refused.said), task_id=""))


def _answer(said: tuple[int, str], **fields: Any) -> dict[str, Any]:
    code, message = said
    return {**fields, "base_resp": {"status_code": code, "status_msg": message}}


WIRE = table.Wire(
    key=table.bearer,
    error=_error,
    submits=(
        table.Submit(
            "/v1/video_generation",
            _MODELS,
            table.in_body,
            lambda shown: _answer(_OK, task_id=shown.job.id),
        ),
    ),
    looks=(
        table.Look("/v1/query/video_generation", _shown, job_id=table.in_query("task_id"), missing=_missing),
        table.Look(
            "/v1/files/retrieve",
            _file,
            job_id=lambda request: request.query_params.get("file_id", "").removeprefix(_FILE_MARK),
            missing=_missing,
            acts={},
        ),
    ),
)
"""The table of the older API. The text routes share its prefix."""
