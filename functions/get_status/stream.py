"""The progress of a task as server-sent events, until it ends."""

from collections.abc import AsyncIterator

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from get_status.status import authenticated
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.kit.retry import fault
from tollgate.tasks.models import Task, TaskStatus
from tollgate.tasks.progress_events import (
    KEEP_ALIVE,
    KEEP_ALIVE_S,
    MAX_STREAM_S,
    RETRY,
    error_event,
    events_of,
)
from tollgate.tasks.waiting import MAX_WAIT_S, pauses_within

ROUTE = "/api/v1/task/stream/{task_id}"


async def streamed_status(request: Request) -> Response:
    """Return the events of a task. An error before the first event is a response as for a status."""
    parts = get_status()
    key = await authenticated(request)
    task = await _found(request, parts, key.account_id)
    events = _events(request, parts, task)
    return StreamingResponse(events, headers={"cache-control": "no-store"}, media_type="text/event-stream")


async def _events(request: Request, parts: GetStatus, task: Task) -> AsyncIterator[str]:
    """Yield the current state, unless the client has it, and each later one.

    Ends after the task, or after `MAX_STREAM_S` (`MAX_WAIT_S` if the task is still in the queue).
    """
    yield RETRY
    shown, silent_s, waited_s = request.headers.get("last-event-id"), 0.0, 0.0
    try:
        for pause_s in [*pauses_within(MAX_STREAM_S), 0.0]:
            view = await run_in_threadpool(parts.reader.view, task)
            state = str(task.seq)
            if state != shown or task.ended:
                for event in events_of(view, task.seq):
                    yield event
                shown, silent_s = state, 0.0
            is_late = task.status is TaskStatus.NOT_STARTED and waited_s >= MAX_WAIT_S
            if task.ended or is_late or await request.is_disconnected():
                return
            await anyio.sleep(pause_s)
            waited_s, silent_s = waited_s + pause_s, silent_s + pause_s
            if silent_s >= KEEP_ALIVE_S:
                yield KEEP_ALIVE
                silent_s = 0.0
            task = await _found(request, parts, task.account_id)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, and told in the stream
        yield error_event(fault(exc, "get_status.fault", route=ROUTE).body())


async def _found(request: Request, parts: GetStatus, account_id: str) -> Task:
    return await run_in_threadpool(parts.reader.find, account_id, request.path_params["task_id"])
