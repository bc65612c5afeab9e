"""Images in OpenAI's protocol: a create by `api`, and a wait for its task."""

from base64 import b64encode

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from get_status.http import address_of, base_url_of
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import TaskPendingError
from tollgate.kit.http.request_body import read_bytes
from tollgate.kit.observability import add_to_log
from tollgate.tasks.image_creates import MAX_BODY_BYTES, Created, Refused
from tollgate.tasks.models import TERMINAL, TaskStatus, TaskView
from tollgate.tasks.results import files_of
from tollgate.tasks.waiting import MAX_HELD_S, MAX_WAIT_S, pauses_within

ROUTES = ("/api/v1/images/generations", "/api/v1/images/edits")
# Headers of the response of `api` that this function's response sets itself.
_OWN = frozenset({"access-control-allow-origin", "access-control-expose-headers", "content-length"})


async def held_image(request: Request) -> Response:
    """Create an image, and respond when it is stored. An error of `api` is returned unchanged."""
    parts = get_status()
    body = await read_bytes(request, MAX_BODY_BYTES)
    made = await run_in_threadpool(
        parts.images.create,
        request.url.path,
        request.headers,
        body,
        address_of(request),
        base_url_of(request),
    )
    if isinstance(made, Refused):
        headers = {name: value for name, value in made.headers.items() if name not in _OWN}
        return Response(made.body, made.status, headers)
    request.state.account_id, request.state.task_id = made.account_id, made.task_id
    # The task's log lines have the id that `api` gave the request, up to its webhook.
    add_to_log(correlation_id=made.headers.get("x-request-id"))
    task = await _ended(request, parts, made)
    data = [
        await run_in_threadpool(_shown, parts, file["fileUrl"], as_bytes=made.wants_bytes)
        for file in files_of(task)
    ]
    created_s = parts.clock.now_ms() // MS_PER_S
    headers = {**made.headers, "x-tollgate-task-id": made.task_id}
    return JSONResponse({"created": created_s, "data": data}, headers=headers)


async def _ended(request: Request, parts: GetStatus, made: Created) -> TaskView:
    """Wait for the end of a task and return it.

    Raises `TaskPendingError` after `MAX_HELD_S`, or after `MAX_WAIT_S` if the task is still in the queue.
    Raises `ClientDisconnect` if the client has disconnected, which only a server on one machine can detect
    (docs/request-path.md#ending-an-answer-early). In both cases the task continues.
    """
    waited_s = 0.0
    for pause_s in [0.0, *pauses_within(MAX_HELD_S)]:
        await anyio.sleep(pause_s)
        waited_s += pause_s
        task = await run_in_threadpool(parts.reader.find, made.account_id, made.task_id)
        if task.status in TERMINAL:
            return task.view()
        # An account can have 10,000 tasks in the queue, and each waiting response occupies a process.
        if task.status is TaskStatus.NOT_STARTED and waited_s >= MAX_WAIT_S:
            break
        if await request.is_disconnected():
            raise ClientDisconnect
    raise TaskPendingError(made.task_id)


def _shown(parts: GetStatus, url: str, *, as_bytes: bool) -> dict[str, str]:
    """Return the image in the requested form, or its URL if it is too large for a response."""
    found = parts.results.read(url) if as_bytes else None
    return {"url": url} if found is None else {"b64_json": b64encode(found).decode()}
