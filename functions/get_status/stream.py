"""The progress of a task or a workflow as server-sent events, until it ends."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from get_status.status import authenticated, authenticated_for_any
from tollgate.accounts.models import ApiKey
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.kit.retry import fault
from tollgate.tasks.models import TaskStatus
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
WORKFLOW_ROUTE = "/api/v1/workflow/stream/{workflow_id}"


@dataclass(frozen=True, slots=True)
class _State:
    """A state, with the number of the last step. `show` reads the rest of the data of its status."""

    show: Callable[[], Mapping[str, Any]]
    seq: int
    has_ended: bool
    is_queued: bool = False


Look = Callable[[], _State]


async def streamed_status(request: Request) -> Response:
    """Return the events of a task. An error before the first event is a response as for a status."""
    parts, key = get_status(), await authenticated(request)
    task_id = request.path_params["task_id"]
    return await _streamed(request, ROUTE, lambda: _task(parts, key, task_id))


async def streamed_workflow(request: Request) -> Response:
    """Return the events of a workflow, in the same way."""
    parts, key = get_status(), await authenticated_for_any(request)
    workflow_id = request.path_params["workflow_id"]
    return await _streamed(request, WORKFLOW_ROUTE, lambda: _workflow(parts, key, workflow_id))


async def _streamed(request: Request, route: str, look: Look) -> Response:
    events = _events(request, route, look, await run_in_threadpool(look))
    return StreamingResponse(events, headers={"cache-control": "no-store"}, media_type="text/event-stream")


async def _events(request: Request, route: str, look: Look, state: _State) -> AsyncIterator[str]:
    """Yield the current state, unless the client has it, and each later one.

    Ends after the task, or after `MAX_STREAM_S` (`MAX_WAIT_S` if the task is still in the queue).
    """
    yield RETRY
    shown, silent_s, waited_s = request.headers.get("last-event-id"), 0.0, 0.0
    try:
        for pause_s in [*pauses_within(MAX_STREAM_S), 0.0]:
            if str(state.seq) != shown or state.has_ended:
                for event in events_of(await run_in_threadpool(state.show), state.seq):
                    yield event
                shown, silent_s = str(state.seq), 0.0
            is_late = state.is_queued and waited_s >= MAX_WAIT_S
            if state.has_ended or is_late or await request.is_disconnected():
                return
            await anyio.sleep(pause_s)
            waited_s, silent_s = waited_s + pause_s, silent_s + pause_s
            if silent_s >= KEEP_ALIVE_S:
                yield KEEP_ALIVE
                silent_s = 0.0
            state = await run_in_threadpool(look)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, and told in the stream
        yield error_event(fault(exc, "get_status.fault", route=route).body())


def _task(parts: GetStatus, key: ApiKey, task_id: str) -> _State:
    task = parts.reader.find(key.caller, task_id)
    is_queued = task.status is TaskStatus.NOT_STARTED
    return _State(lambda: parts.reader.view(task), task.seq, task.ended, is_queued)


def _workflow(parts: GetStatus, key: ApiKey, workflow_id: str) -> _State:
    workflow = parts.workflows.find(key.caller, workflow_id)
    return _State(lambda: parts.workflows.view(workflow), workflow.seq, workflow.has_ended)
