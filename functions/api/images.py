"""Creates images in OpenAI's protocol. `get_status` calls these routes and waits for the image.

The gateway sends customers' requests to `get_status`, because the cost of waiting depends on the memory of
the function that waits.
"""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from api.form import Sent
from api.http import MediaBody, MediaKey, Services, attribution_with_user, created_of
from tollgate.accounts.models import ApiKey
from tollgate.composition.api import Api
from tollgate.ledger.attribution import Attribution
from tollgate.tasks.image_creates import IGNORED
from tollgate.tasks.openai_images import SENT_NAMES, ImageRequest, read_image_request

router = APIRouter()


@router.post("/api/v1/images/generations")
async def generate_image(
    api: Services,
    key: MediaKey,
    body: MediaBody,
    request: Request,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Create the tasks of images."""
    asked = read_image_request(body, api.tasks.catalog)
    return await _created(api, key, asked, idempotency_key, attribution_with_user(request, body))


@router.post("/api/v1/images/edits")
async def edit_image(
    api: Services,
    key: MediaKey,
    sent: Sent,
    request: Request,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Create the tasks of images that are based on other images."""
    asked = read_image_request(sent.fields, api.tasks.catalog, is_edit=True, is_form=sent.is_form)
    return await _created(api, key, asked, idempotency_key, attribution_with_user(request, sent.fields))


async def _created(
    api: Api, key: ApiKey, asked: ImageRequest, idempotency_key: str | None, attribution: Attribution
) -> Response:
    """Return 202 with the data for the wait (`tasks/image_creates.py`)."""
    task_ids = await run_in_threadpool(
        created_of,
        api,
        key,
        asked.create,
        idempotency_key,
        SENT_NAMES,
        attribution=attribution,
        copies=asked.images,
    )
    made = {
        "accountId": key.account_id,
        # During a deployment, the version of `get_status` before this one reads only the first.
        "taskId": task_ids[0],
        "taskIds": task_ids,
        "wantsBytes": asked.wants_bytes,
        "wantsUrl": asked.wants_url,
        "isStreamed": asked.is_streamed,
    }
    headers = {IGNORED: ", ".join(asked.ignored)} if asked.ignored else None
    return JSONResponse(made, status_code=HTTPStatus.ACCEPTED, headers=headers)
