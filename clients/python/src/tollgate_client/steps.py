"""The operations of the client without I/O.

Each operation is a generator. It yields a request, an upload or a pause, and receives the response.
`client.py` drives the steps with threads, `aio.py` with asyncio."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypedDict, TypeVar

import httpx

from tollgate_client.errors import (
    ConfigurationError,
    TaskExpiredError,
    TaskFailedError,
    TollgateError,
    WaitTimeoutError,
    unreachable,
)
from tollgate_client.media import IMAGES, files_in, key_of, local_file, local_path, replaced, type_of
from tollgate_client.models import (
    EXPIRED,
    FINISHED,
    BatchStatus,
    Estimate,
    Progress,
    TaskStatus,
    Upload,
    WorkflowStatus,
)
from tollgate_client.wire import PutFile, Reply, Send, Sleep, data_of, is_worth_another_attempt, wait_before

Effect = Send | Sleep | PutFile
ResultT = TypeVar("ResultT")
SeenT = TypeVar("SeenT", TaskStatus, WorkflowStatus, BatchStatus)
Steps = Generator[Effect, Any, ResultT]
"""The results that a step receives: for `Send` a `Reply`, or httpx's error; for `PutFile` a
`Reply`; for `Sleep` the seconds since the start of the operation."""

FIRST_POLL_S, MAX_POLL_S = 0.5, 10.0
DEFAULT_WAIT_S = 3600.0
"""Longer than any model's deadline, so the task has ended by then."""
MAX_PAGES = 10_000
PAGE_SIZE = 100


class CreateOptions(TypedDict, total=False):
    """Options of a create, in addition to the model and its input."""

    idempotency_key: str | None
    """Repeating a create with the same key and input returns the same task.

    Default: a new key for each call.
    """
    webhook: str | None
    """A URL that receives a signed event when the task has ended."""
    metadata: Mapping[str, Any] | None
    """Returned with the task."""
    max_cost_cents: int | None
    """Refuse the create if it costs more."""
    price_version: str | None
    """The version from an estimate. If prices have changed since, `PriceChangedError` is raised."""
    finish_by_s: int | None
    """Refund the task if it has no result after this many seconds."""
    expires_in_s: int | None
    """Delete the files this many seconds after the task's end."""
    webhook_progress: bool | None
    """Send events about the progress to the webhook too."""
    private: bool | None
    """Give the files signed addresses, each valid for an hour."""


_NAMES = {
    "webhook": "webhook",
    "metadata": "metadata",
    "max_cost_cents": "maxCostCents",
    "price_version": "priceVersion",
    "finish_by_s": "finishByS",
    "expires_in_s": "expiresInS",
    "webhook_progress": "webhookProgress",
    "private": "private",
}


def call(send: Send, max_attempts: int) -> Steps[Reply]:
    """Send a request, with retries while they are useful. Raises `UnreachableError`."""
    for attempt in range(max_attempts):
        received: Reply | httpx.TransportError = yield send
        reply = received if isinstance(received, Reply) else None
        is_last = attempt + 1 == max_attempts
        if reply is not None and (
            not httpx.codes.is_error(reply.status) or is_last or not is_worth_another_attempt(send, reply)
        ):
            return reply
        if isinstance(received, httpx.TransportError) and (
            is_last or not is_worth_another_attempt(send, None)
        ):
            raise unreachable(received) from received
        yield Sleep(wait_before(attempt, reply))
    raise ConfigurationError("max_attempts must be at least 1.")


def fetch(send: Send, max_attempts: int) -> Steps[Any]:
    """Send a request and return its `data`. Raises `APIError` and `UnreachableError`."""
    reply = yield from call(send, max_attempts)
    return data_of(reply)


def until_ended(
    seen: SeenT,
    look: Callable[[str], Steps[SeenT]],
    bound_s: float,
    tell: Callable[[SeenT, float], None],
    pause_of: Callable[[SeenT], float | None],
) -> Steps[SeenT]:
    """Look until it has ended, and return it then. Raises `WaitTimeoutError` after `bound_s` seconds.

    `tell` is called with each state and the seconds since the start. `pause_of` returns the suggested pause.
    """
    elapsed_s, pause_s = 0.0, FIRST_POLL_S
    while not seen.ended:
        tell(seen, elapsed_s)
        if elapsed_s >= bound_s:
            raise WaitTimeoutError(seen, bound_s)
        elapsed_s = yield Sleep(min(pause_of(seen) or pause_s, max(bound_s - elapsed_s, 0.05)))
        seen = yield from look(seen.id)
        pause_s = min(pause_s * 1.5, MAX_POLL_S)
    tell(seen, elapsed_s)
    return seen


class Operations:
    """The steps of each operation. `max_attempts` limits each request."""

    def __init__(self, max_attempts: int) -> None:
        self._max_attempts = max_attempts
        self._media_fields: dict[str, frozenset[str]] = {}

    def _get(self, path: str, **params: Any) -> Steps[Any]:
        known = {name: value for name, value in params.items() if value is not None}
        return fetch(Send("GET", path, params=known), self._max_attempts)

    def submit(
        self, model: str, values: Mapping[str, Any] | None, options: CreateOptions
    ) -> Steps[TaskStatus]:
        """Upload the local files of an input, then create the task, exactly once despite retries.

        Raises `TypeError` for an unknown option.
        """
        given = {name: value for name, value in options.items() if value is not None}
        key = given.pop("idempotency_key", None) or f"py-{uuid.uuid4()}"
        unknown = given.keys() - _NAMES.keys()
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        ready = yield from self.uploaded(model, values or {})
        body = {"model": model, "input": ready, **{_NAMES[name]: value for name, value in given.items()}}
        headers = {"idempotency-key": str(key)}
        data = yield from fetch(
            Send("POST", "/api/v1/generation/create", json=body, headers=headers), self._max_attempts
        )
        return TaskStatus.of(data)

    def estimate(self, model: str, values: Mapping[str, Any] | None) -> Steps[Estimate]:
        """Return the price of an input. Local files are uploaded, because the price can depend on them."""
        body = {"model": model, "input": (yield from self.uploaded(model, values or {}))}
        data = yield from fetch(Send("POST", "/api/v1/generation/estimate", json=body), self._max_attempts)
        return Estimate.of(data)

    def status(self, task_id: str) -> Steps[TaskStatus]:
        """Request the state of a task."""
        data = yield from self._get(f"/api/v1/task/status/{task_id}")
        return TaskStatus.of(data)

    def cancel(self, task_id: str) -> Steps[TaskStatus]:
        """Cancel a task."""
        data = yield from fetch(Send("POST", f"/api/v1/task/cancel/{task_id}"), self._max_attempts)
        return TaskStatus.of(data)

    def delete_files(self, task_id: str) -> Steps[TaskStatus]:
        """Delete the files of a task that has ended."""
        data = yield from fetch(Send("DELETE", f"/api/v1/task/files/{task_id}"), self._max_attempts)
        return TaskStatus.of(data)

    def wait(
        self, task: TaskStatus, timeout_s: float | None, on_progress: Callable[[Progress], None] | None
    ) -> Steps[TaskStatus]:
        """Poll until the task has ended, in the intervals that the service suggests.

        Raises `TaskFailedError` or `TaskExpiredError` after a refund, `WaitTimeoutError` if the task is still
        running.
        """

        def tell(seen: TaskStatus, elapsed_s: float) -> None:
            if on_progress is not None:
                on_progress(Progress(seen, elapsed_s))

        bound_s = DEFAULT_WAIT_S if timeout_s is None else timeout_s
        task = yield from until_ended(task, self.status, bound_s, tell, lambda seen: seen.poll_after_s)
        if task.status != FINISHED:
            raise (TaskExpiredError if task.status == EXPIRED else TaskFailedError)(task)
        return task

    def models(self, kind: str | None, capability: str | None) -> Steps[list[dict[str, Any]]]:
        """Return the catalog."""
        found = yield from self._get("/api/v1/catalog", kind=kind, capability=capability)
        return list(found)

    def model(self, model_id: str) -> Steps[dict[str, Any]]:
        """Return one model of the catalog."""
        found: dict[str, Any] = yield from self._get(f"/api/v1/catalog/{model_id}")
        return found

    def me(self) -> Steps[dict[str, Any]]:
        """Return the caller's account."""
        found: dict[str, Any] = yield from self._get("/api/v1/user/me")
        return found

    def statement(self, month: str) -> Steps[list[dict[str, Any]]]:
        """Return all pages of the sealed statement of a month."""
        pages: list[dict[str, Any]] = []
        cursor: str | None = None
        while not pages or cursor is not None:
            if len(pages) == MAX_PAGES:
                raise TollgateError(f"the statement of {month} has more than {MAX_PAGES} pages")
            page = yield from self._get(f"/api/v1/statements/{month}", cursor=cursor)
            pages.append(page)
            cursor = page.get("cursor")
        return pages

    def receipt(self, request_id: str) -> Steps[dict[str, Any]]:
        """Return the receipt of a task or a text request."""
        found: dict[str, Any] = yield from self._get(f"/api/v1/requests/{request_id}/receipt")
        return found

    def ledger_keys(self) -> Steps[dict[str, Any]]:
        """Return the public keys of the ledger."""
        found: dict[str, Any] = yield from self._get("/.well-known/tollgate-ledger-key.json")
        return found

    def tasks_page(
        self, cursor: str | None, limit: int, status: str | None, model: str | None
    ) -> Steps[tuple[list[TaskStatus], str | None]]:
        """Return a page of tasks, the newest first, and the cursor of the next one."""
        data = yield from self._get("/api/v1/tasks", cursor=cursor, limit=limit, status=status, model=model)
        return [TaskStatus.of(one) for one in data["tasks"]], data.get("cursor")

    def chat(self, body: Mapping[str, Any]) -> Steps[Reply]:
        """Send a chat. It is not repeated without a response, because the first request may be billed."""
        send = Send("POST", "/api/v1/chat/completions", json=body, is_safe_to_repeat=False)
        reply = yield from call(send, self._max_attempts)
        data_of(reply)
        return reply

    def upload(self, value: Any) -> Steps[Upload]:
        """Upload a file so that models can read it."""
        file = local_path(value) if isinstance(value, str) else local_file(value)
        if file is None:
            raise TypeError(f"not a file: {value!r}")
        content = file.read()
        return (yield from self.put(file.name, content, type_of(content, file.name)))

    def put(self, name: str, content: bytes, content_type: str) -> Steps[Upload]:
        """Upload bytes under a name."""
        body = {"filename": name, "contentType": content_type, "bytes": len(content)}
        granted = yield from fetch(Send("POST", "/api/v1/files", json=body), self._max_attempts)
        form = granted["upload"]
        reply: Reply = yield PutFile(form["url"], form["fields"], name, content, content_type)
        if httpx.codes.is_error(reply.status):
            raise TollgateError(f"the upload of {name} was refused: HTTP {reply.status}")
        return Upload.of(granted)

    def delete_file(self, file_id: str) -> Steps[None]:
        """Delete an uploaded file."""
        yield from fetch(Send("DELETE", f"/api/v1/files/{file_id}"), self._max_attempts)

    def uploaded(self, model: str, values: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """Return an input in which each local file is uploaded and replaced by its id."""
        fields = yield from self._media_fields_of(model, values)
        ids: dict[Any, str] = {}
        for value in files_in(values, fields):
            kept = yield from self.upload(value)
            ids[key_of(value)] = kept.id
        ready: dict[str, Any] = replaced(values, fields, lambda value: ids[key_of(value)])
        return ready

    def _media_fields_of(self, model: str, values: Mapping[str, Any]) -> Steps[frozenset[str]]:
        """Return the names of the model's fields for files.

        Requested only if the input may contain a file.
        """
        if not _may_name_files(values):
            return frozenset()
        if model not in self._media_fields:
            shown = yield from self.model(model)
            fields = (one["name"] for one in shown.get("params", []) if one.get("isMedia"))
            self._media_fields[model] = frozenset((*fields, IMAGES))
        return self._media_fields[model]


def _may_name_files(values: Any) -> bool:
    """Return whether any value except the prompt could be the path of a file."""
    if isinstance(values, Mapping):
        return any(_may_name_files(one) for name, one in values.items() if name != "prompt")
    if isinstance(values, (list, tuple)):
        return any(_may_name_files(one) for one in values)
    return isinstance(values, str) and ("." in values or "/" in values) and local_looks(values)


def local_looks(text: str) -> bool:
    """Return whether a string could be a path, and not a URL, a data URI or an id."""
    return "\n" not in text and not text.startswith(("http://", "https://", "data:", "file_"))
