"""Images in OpenAI's protocol: a create by `api`, and a wait for its tasks."""

import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Mapping, Sequence

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from get_status.http import address_of, base_url_of
from tollgate.artifacts.sniff import HEAD_BYTES, JPEG, media_type
from tollgate.composition.get_status import GetStatus, get_status
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.http.request_body import read_bytes
from tollgate.kit.observability import add_to_log
from tollgate.ledger.callers import Caller
from tollgate.tasks.errors import GenerationFailedError, TaskPendingError
from tollgate.tasks.image_creates import MAX_BODY_BYTES, Created, Refused
from tollgate.tasks.models import TERMINAL, TaskStatus, TaskView
from tollgate.tasks.results import files_of
from tollgate.tasks.waiting import MAX_HELD_S, MAX_WAIT_S, pauses_within

EVENTS = {
    "/api/v1/images/generations": "image_generation.completed",
    "/api/v1/images/edits": "image_edit.completed",
}
"""The routes, with the name of their event in a stream."""
ROUTES = tuple(EVENTS)
MAX_INLINE_BYTES = 48 * 1024 * 1024
"""The bytes of all images in one response. Lambda streams 200 MB, at 2 MB a second after the first 6 MB, and
Base64 adds a third (https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html)."""
MAX_IMAGE_BYTES = 16 * 1024 * 1024
"""The bytes of one image: it is in the function's 256 MB several times while it is encoded."""
NO_TOKENS = {
    "input_tokens": 0,
    "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
    "output_tokens": 0,
    "total_tokens": 0,
}
_HEAD_CHARS = HEAD_BYTES // 3 * 4
# Headers of the response of `api` that this function's response sets itself.
_OWN = frozenset({"access-control-allow-origin", "access-control-expose-headers", "content-length"})


async def held_image(request: Request) -> Response:
    """Create images, and respond when they are stored. An error of `api` is returned unchanged."""
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
    request.state.account_id, request.state.task_id = made.account_id, made.task_ids[0]
    # The log lines of the tasks have the id that `api` gave the request, up to their webhooks.
    add_to_log(correlation_id=made.headers.get("x-request-id"))
    ended = await _ended(request, parts, made)
    urls, failed = _results(ended)
    headers = {**made.headers, "x-tollgate-task-id": ", ".join(made.task_ids)}
    if failed:
        headers["x-tollgate-failed-task-id"] = ", ".join(failed)
    images = _images(parts, urls, as_bytes=made.wants_bytes, with_url=made.wants_url)
    created_s = parts.clock.now_ms() // MS_PER_S
    if made.is_streamed:
        kind = EVENTS[request.url.path]
        pieces, content_type = _event_stream(images, kind, created_s), "text/event-stream"
    else:
        pieces, content_type = _json(images, created_s), "application/json"
    # Before the response starts, so a fault of the first file is an error response.
    first = await anext(pieces)
    return StreamingResponse(_joined(first, pieces), headers=headers, media_type=content_type)


async def _ended(request: Request, parts: GetStatus, made: Created) -> list[TaskView]:
    """Wait for the end of all tasks and return them.

    Raises `TaskPendingError` after `MAX_HELD_S`, or after `MAX_WAIT_S` if a task is still in the queue.
    Raises `ClientDisconnect` if the client has disconnected, which only a server on one machine can detect
    (docs/request-path.md#ending-an-answer-early). In both cases the tasks continue.
    """
    ended: dict[str, TaskView] = {}
    waited_s, caller = 0.0, Caller.of_account(made.account_id)
    for pause_s in [0.0, *pauses_within(MAX_HELD_S)]:
        await anyio.sleep(pause_s)
        waited_s += pause_s
        open_tasks = [
            await run_in_threadpool(parts.reader.find, caller, task_id)
            for task_id in made.task_ids
            if task_id not in ended
        ]
        ended |= {task.task_id: parts.reader.view(task) for task in open_tasks if task.status in TERMINAL}
        if len(ended) == len(made.task_ids):
            return [ended[task_id] for task_id in made.task_ids]
        # An account can have 10,000 tasks in the queue, and each waiting response occupies a process.
        is_queued = any(task.status is TaskStatus.NOT_STARTED for task in open_tasks)
        if is_queued and waited_s >= MAX_WAIT_S:
            break
        if await request.is_disconnected():
            raise ClientDisconnect
    raise TaskPendingError(next(task_id for task_id in made.task_ids if task_id not in ended))


def _results(tasks: Sequence[TaskView]) -> tuple[list[str], list[str]]:
    """Return the URLs of all files, and the ids of the tasks that failed.

    Raises `GenerationFailedError` if all failed. Failed tasks are refunded.
    """
    urls, failed = [], {}
    for task in tasks:
        try:
            urls += [str(file["fileUrl"]) for file in files_of(task)]
        except GenerationFailedError as error:
            failed[task["taskId"]] = error
    if len(failed) == len(tasks):
        raise next(iter(failed.values()))
    return urls, list(failed)


async def _images(
    parts: GetStatus, urls: Sequence[str], *, as_bytes: bool, with_url: bool
) -> AsyncIterator[dict[str, str]]:
    """Yield each image in the requested forms, or its URL if the response has no more room for bytes."""
    room = MAX_INLINE_BYTES
    for url in urls:
        most = min(room, MAX_IMAGE_BYTES)
        found = await run_in_threadpool(parts.results.read, url, most) if as_bytes else None
        if found is None:
            yield {"url": url}
        else:
            room -= len(found)
            image = {"b64_json": b64encode(found).decode()}
            yield {**image, "url": url} if with_url else image


async def _json(images: AsyncIterator[dict[str, str]], created_s: int) -> AsyncIterator[str]:
    """Yield OpenAI's response, image by image, because all of them together are too large for the memory.

    It names the format of the first image. All images of a request have the same.
    """
    start, made = f'{{"created": {created_s}, "data": [', ""
    async for image in images:
        yield start + json.dumps(image)
        start, made = ", ", made or _format(image)
    end = f'], "output_format": "{made}"}}' if made else "]}"
    yield end if start == ", " else start + end


async def _event_stream(
    images: AsyncIterator[dict[str, str]], kind: str, created_s: int
) -> AsyncIterator[str]:
    """Yield an event for each image, as `openai.types.ImageGenCompletedEvent` describes it.

    There are no partial images: OpenAI also sends fewer than requested if the image is ready sooner. Tollgate
    bills images and no tokens.
    """
    async for image in images:
        event = {
            "type": kind,
            "b64_json": "",
            **image,
            "created_at": created_s,
            "background": "auto",
            "output_format": _format(image),
            "quality": "auto",
            "size": "auto",
            "usage": NO_TOKENS,
        }
        yield f"event: {kind}\ndata: {json.dumps(event)}\n\n"


def _format(image: Mapping[str, str]) -> str:
    """Return the type of an image in OpenAI's word: by its first bytes, else by the end of its URL."""
    found = media_type(b64decode(image.get("b64_json", "")[:_HEAD_CHARS]))
    if found is not None:
        return found.content_type.removeprefix("image/")
    # The file was stored with the extension of its type (artifacts/sniff.py).
    extension = image["url"].rpartition(".")[2]
    return "jpeg" if extension == JPEG.extension else extension


async def _joined(first: str, others: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for each in others:
        yield each
