"""Videos in OpenAI's protocol: create a video, its task, its file."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from api.form import Sent
from api.http import MediaKey, Services, attribution_with_user, created_of
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import TaskPendingError
from tollgate.tasks.openai_videos import SENT_NAMES, read_video_request, video
from tollgate.tasks.results import files_of

router = APIRouter(prefix="/api/v1/videos")


@router.post("")
async def create_video(
    api: Services,
    key: MediaKey,
    sent: Sent,
    request: Request,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Create a video's task, and respond at once."""
    asked = read_video_request(sent.fields, api.tasks.catalog, is_form=sent.is_form)
    attribution = attribution_with_user(request, sent.fields)
    (task_id,) = await run_in_threadpool(
        created_of, api, key, asked, idempotency_key, SENT_NAMES, attribution=attribution
    )
    task = await run_in_threadpool(api.reader.status, key.account_id, task_id)
    return _shown(task, sent.fields)


@router.get("/{video_id}")
def get_video(api: Services, key: MediaKey, video_id: str) -> Response:
    """Return a video's task."""
    return _shown(api.reader.status(key.account_id, video_id))


@router.get("/{video_id}/content")
def get_content(api: Services, key: MediaKey, video_id: str) -> Response:
    """Redirect to the video's file, which is too large for a function's response."""
    task = api.reader.status(key.account_id, video_id)
    files = files_of(task)
    if not files:
        raise TaskPendingError(video_id)
    return RedirectResponse(files[0]["fileUrl"], status_code=302)


@router.delete("/{video_id}")
def delete_video(api: Services, key: MediaKey, video_id: str) -> Response:
    """Delete a video's file; its task stays."""
    api.deletion.delete(key.account_id, video_id, key.actor)
    return JSONResponse({"id": video_id, "object": "video.deleted", "deleted": True})


def _shown(task: Mapping[str, Any], body: dict[str, Any] | None = None) -> Response:
    """Return a task as a video, with the pause before the next poll in the header of OpenAI's SDKs."""
    pause_s = task.get("pollAfterS")
    headers = {} if pause_s is None else {"openai-poll-after-ms": str(pause_s * MS_PER_S)}
    return JSONResponse(video(task, body), headers=headers)
