"""Media generation: what it would cost, make it, how is it, drop it."""

from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.http import MediaBody, MediaKey, Services, envelope
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.tasks.models import TERMINAL

MAX_WAIT_S = 20
"""The gateway gives up after 29 s."""
FIRST_LOOK_S, LAST_LOOK_S = 0.25, 2.0
"""Between two looks at a task that is waited for: soon at first, then less and less often."""

router = APIRouter()


@router.post("/api/v1/generation/estimate")
def estimate(api: Services, key: MediaKey, body: MediaBody) -> Response:
    """Return what create would debit for the same body."""
    return envelope(api.tasks.estimate(key.account_id, body, key))


@router.post("/api/v1/generation/create")
def create(
    api: Services, key: MediaKey, body: MediaBody, idempotency_key: Annotated[str | None, Header()] = None
) -> Response:
    """Charge and queue a generation."""
    return envelope(api.tasks.create(key.account_id, body, idempotency_key, key))


@router.get("/api/v1/task/status/{task_id}")
async def status(api: Services, key: MediaKey, task_id: str, wait: str = "0") -> Response:
    """Return a task's status; with `wait`, as soon as it has ended, or after so many seconds."""
    looks = _looks(wait)
    reader = api.reader
    shown = await run_in_threadpool(reader.status, key.account_id, task_id)
    for pause_s in looks:
        if shown["status"] in TERMINAL:
            break
        await anyio.sleep(pause_s)
        shown = await run_in_threadpool(reader.status, key.account_id, task_id)
    return envelope(shown)


@router.post("/api/v1/task/cancel/{task_id}")
def cancel(api: Services, key: MediaKey, task_id: str) -> Response:
    """Ask for a task's end; refunded when nothing will be made."""
    return envelope(api.tasks.cancel(key.account_id, task_id))


@router.get("/api/v1/tasks")
def list_tasks(api: Services, key: MediaKey, request: Request) -> Response:
    """Return tasks: those of `ids`, or a page of those that fit the query, the newest first."""
    query, reader = dict(request.query_params), api.reader
    if set(query) == {"ids"}:
        return envelope(reader.several(key.account_id, query["ids"].split(",")))
    return envelope(reader.page(key.account_id, query))


def _looks(wait: str) -> list[float]:
    """Return the pauses between looks that make up `wait` seconds. Raises `InvalidInputError`."""
    is_number = wait.isascii() and wait.isdigit() and len(wait) <= len(str(MAX_WAIT_S))
    if not is_number or int(wait) > MAX_WAIT_S:
        raise InvalidInputError([Problem("/wait", "Must be whole seconds.", f"0 to {MAX_WAIT_S}")])
    left, pause_s, pauses = float(wait), FIRST_LOOK_S, []
    while left > 0:
        pauses.append(min(pause_s, left))
        left -= pauses[-1]
        pause_s = min(pause_s * 2, LAST_LOOK_S)
    return pauses
