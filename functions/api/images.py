"""Images in OpenAI's protocol: a create, and a wait for its task."""

import time
from base64 import b64encode
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from api.form import Sent
from api.http import MediaBody, MediaKey, Services, created_of, files_of
from tollgate.accounts.models import ApiKey
from tollgate.composition.api import Api
from tollgate.kit.errors import GenerationFailedError, TaskPendingError
from tollgate.tasks.models import TaskView
from tollgate.tasks.openai_images import SAID_AS, ImageRequest, read_image_request
from tollgate.tasks.waiting import MAX_WAIT_S, pauses_of

router = APIRouter()


@router.post("/api/v1/images/generations")
async def generate_image(
    api: Services, key: MediaKey, body: MediaBody, idempotency_key: Annotated[str | None, Header()] = None
) -> Response:
    """Make an image, and answer with it once it is stored."""
    return await _made(api, key, read_image_request(body, api.tasks.catalog), idempotency_key)


@router.post("/api/v1/images/edits")
async def edit_image(
    api: Services, key: MediaKey, sent: Sent, idempotency_key: Annotated[str | None, Header()] = None
) -> Response:
    """Make an image of others, and answer with it once it is stored."""
    asked = read_image_request(sent.fields, api.tasks.catalog, is_edit=True, is_form=sent.is_form)
    return await _made(api, key, asked, idempotency_key)


async def _made(api: Api, key: ApiKey, asked: ImageRequest, idempotency_key: str | None) -> Response:
    """Create the task, wait for it, and show its images."""
    task_id = await run_in_threadpool(created_of, api, key, asked.create, idempotency_key, SAID_AS)
    task = await _ended(api, key.account_id, task_id)
    data = [
        await run_in_threadpool(_shown, api, file["fileUrl"], as_bytes=asked.wants_bytes)
        for file in files_of(task)
    ]
    return JSONResponse({"created": int(time.time()), "data": data}, headers={"x-tollgate-task-id": task_id})


def _shown(api: Services, url: str, *, as_bytes: bool) -> dict[str, str]:
    """Return the image as it was asked for; one that is too large for an answer by its address."""
    found = api.results.read(url) if as_bytes else None
    return {"url": url} if found is None else {"b64_json": b64encode(found).decode()}


async def _ended(api: Services, account_id: str, task_id: str) -> TaskView:
    """Wait for the end of a task; return it. Raises `GenerationFailedError` and `TaskPendingError`."""
    for pause_s in [0.0, *pauses_of(str(MAX_WAIT_S))]:
        await anyio.sleep(pause_s)
        task = await run_in_threadpool(api.reader.status, account_id, task_id)
        if task["status"] == "finished":
            return task
        if "error" in task:
            raise GenerationFailedError(task_id, task["error"]["message"])
    raise TaskPendingError(task_id)
