"""Videos in OpenAI's protocol: create a video, its task, its file, a remix; list videos."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from api.form import Sent
from api.http import MediaKey, Services, attribution_with_user, created_of
from tollgate.accounts.models import ApiKey
from tollgate.composition.api import Api
from tollgate.composition.parts import clock
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import UploadNotFoundError
from tollgate.tasks.errors import GenerationFailedError, TaskPendingError
from tollgate.tasks.models import Task
from tollgate.tasks.openai_videos import (
    SENT_NAMES,
    read_content_query,
    read_remix,
    read_video_query,
    read_video_request,
    video,
    video_list,
)
from tollgate.tasks.results import files_of
from tollgate.tasks.waiting import poll_after_s

router = APIRouter(prefix="/api/v1/videos")


@router.post("")
async def create_video(api: Services, key: MediaKey, sent: Sent, request: Request) -> Response:
    """Create a video's task, and respond at once."""
    asked = read_video_request(sent.fields, api.tasks.catalog, is_form=sent.is_form)
    return await _created(api, key, asked, request, sent.fields)


@router.get("")
def list_videos(api: Services, key: MediaKey, request: Request) -> Response:
    """Return a page of the account's videos."""
    page = api.reader.videos(key.caller, read_video_query(dict(request.query_params)))
    return JSONResponse(video_list(page.rows, has_more=page.cursor is not None))


@router.get("/{video_id}")
def get_video(api: Services, key: MediaKey, video_id: str) -> Response:
    """Return a video's task."""
    return _shown(api.reader.video(key.caller, video_id))


@router.get("/{video_id}/content")
def get_content(api: Services, key: MediaKey, video_id: str, request: Request) -> Response:
    """Redirect to the video's file, which is too large for a function's response."""
    read_content_query(dict(request.query_params))
    found = api.reader.video(key.caller, video_id)
    return RedirectResponse(_file_url(api, found), status_code=302)


@router.post("/{video_id}/remix")
async def remix_video(api: Services, key: MediaKey, video_id: str, sent: Sent, request: Request) -> Response:
    """Create a task that changes a finished video."""
    source = await run_in_threadpool(api.reader.video, key.caller, video_id)
    _file_url(api, source)
    asked = read_remix(sent.fields, source, api.tasks.catalog, is_form=sent.is_form)
    return await _created(api, key, asked, request, sent.fields)


@router.delete("/{video_id}")
def delete_video(api: Services, key: MediaKey, video_id: str) -> Response:
    """Delete a video's file; its task stays."""
    api.reader.video(key.caller, video_id)
    api.deletion.delete(key.caller, video_id, key.actor)
    return JSONResponse({"id": video_id, "object": "video.deleted", "deleted": True})


async def _created(
    api: Api, key: ApiKey, asked: dict[str, Any], request: Request, body: Mapping[str, Any]
) -> Response:
    attribution = attribution_with_user(request, body)
    idempotency_key = request.headers.get("idempotency-key")
    (task_id,) = await run_in_threadpool(
        created_of, api, key, asked, idempotency_key, SENT_NAMES, attribution=attribution
    )
    task = await run_in_threadpool(api.reader.find, key.caller, task_id)
    return _shown(task)


def _file_url(api: Api, task: Task) -> str:
    """Return the address of a video's file.

    Raises `TaskPendingError` if the task has not ended, and `UploadNotFoundError` if there is no file.
    """
    try:
        files = files_of(api.reader.view(task))
    except GenerationFailedError as error:
        # OpenAI's SDKs repeat a request after a 5xx, and this one would fail each time.
        raise UploadNotFoundError(error.message) from error
    if not files:
        raise TaskPendingError(task.task_id)
    return str(files[0]["fileUrl"])


def _shown(task: Task) -> Response:
    """Return a task as a video, with the pause before the next poll in the header of OpenAI's SDKs."""
    pause_s = poll_after_s(task, clock().now_ms())
    headers = {} if pause_s is None else {"openai-poll-after-ms": str(pause_s * MS_PER_S)}
    return JSONResponse(video(task), headers=headers)
