"""Media generation: estimate, create, cancel, delete the files, list tasks.

The status of one task is a separate function, `functions/get_status`, because most requests are for it.
"""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from api.http import Attributed, MediaBody, MediaKey, Services, envelope

router = APIRouter()


@router.post("/api/v1/generation/estimate")
def estimate(api: Services, key: MediaKey, body: MediaBody) -> Response:
    """Return the amount that create would charge for the same body."""
    return envelope(api.tasks.estimate(key.account_id, body, key))


@router.post("/api/v1/generation/create")
def create(
    api: Services,
    key: MediaKey,
    body: MediaBody,
    attribution: Attributed,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Charge and queue a generation."""
    return envelope(api.tasks.create(key.account_id, body, idempotency_key, key, attribution))


@router.post("/api/v1/task/cancel/{task_id}")
def cancel(api: Services, key: MediaKey, task_id: str) -> Response:
    """Request the cancellation of a task. It is refunded if it ends without a result."""
    return envelope(api.tasks.cancel(key.caller, task_id))


@router.delete("/api/v1/task/files/{task_id}")
def delete_files(api: Services, key: MediaKey, task_id: str) -> Response:
    """Delete the files of a task that has ended."""
    return envelope(api.deletion.delete(key.caller, task_id, key.actor))


@router.get("/api/v1/tasks")
def list_tasks(api: Services, key: MediaKey, request: Request) -> Response:
    """Return the tasks with these `ids`, or a page of the tasks that match the query, the newest first."""
    query, reader = dict(request.query_params), api.reader
    if set(query) == {"ids"}:
        return envelope(reader.several(key.caller, query["ids"].split(",")))
    return envelope(reader.page(key.caller, query))
