"""The client for threads, generated from aio.py by `make clients`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from tollgate_client import wire
from tollgate_client.calls import (
    DOWNLOAD_CHUNK_BYTES,
    Messages,
    OnProgress,
    chat_body,
    chat_of,
    form_of,
    place_of,
    reaching,
    saving,
    text_of,
)
from tollgate_client.errors import TollgateError, UnreachableError
from tollgate_client.many import (
    CHATS,
    MAX_STREAMS,
    RECONNECT_S,
    EventReader,
    ManyOperations,
    OnBatch,
    OnWorkflow,
    WorkflowStep,
    result_of,
)
from tollgate_client.models import (
    BatchResult,
    BatchStatus,
    Chat,
    Estimate,
    RemoteFile,
    TaskStatus,
    Upload,
    WorkflowEstimate,
    WorkflowStatus,
)
from tollgate_client.progress import shown_progress
from tollgate_client.steps import MAX_PAGES, PAGE_SIZE, CreateOptions, Effect, ResultT, Steps
from tollgate_client.wire import PutFile, Reply, Send, Settings, Sleep

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Task:
    """A generation. Returned by `Client.submit` and `Client.task`."""

    def __init__(self, client: Client, seen: TaskStatus) -> None:
        self._client = client
        self.seen = seen
        """The task's state from the last request."""

    @property
    def id(self) -> str:
        """Return the task's id. `Client.task(id)` returns the task again, in any process."""
        return self.seen.id

    @property
    def files(self) -> tuple[RemoteFile, ...]:
        """Return the files of a finished task."""
        return self.seen.files

    def status(self) -> TaskStatus:
        """Request and return the current state of the task."""
        self.seen = self._client._run(self._client._operations.status(self.id))
        return self.seen

    def wait(self, timeout: float | None = None, on_progress: OnProgress | None = None) -> TaskStatus:
        """Return the finished task. Raises `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`."""
        self.seen = self._client._run(self._client._operations.wait(self.seen, timeout, on_progress))
        return self.seen

    def cancel(self) -> TaskStatus:
        """Cancel the task. It is refunded if it ends without a result."""
        self.seen = self._client._run(self._client._operations.cancel(self.id))
        return self.seen

    def delete_files(self) -> TaskStatus:
        """Delete the files of the task, which must have ended. The task and its price remain."""
        self.seen = self._client._run(self._client._operations.delete_files(self.id))
        return self.seen

    def save(self, folder: str | os.PathLike[str] = ".") -> list[Path]:
        """Save the files of a finished task in `folder` and return their paths."""
        return [self._client.save(file, folder) for file in self.files]


class Workflow:
    """A workflow. Returned by `Client.create_workflow` and `Client.workflow`."""

    def __init__(self, client: Client, seen: WorkflowStatus) -> None:
        self._client = client
        self.seen = seen
        """The workflow's state from the last request."""

    @property
    def id(self) -> str:
        """Return the workflow's id. `Client.workflow(id)` returns it again, in any process."""
        return self.seen.id

    def status(self) -> WorkflowStatus:
        """Request and return the current state of the workflow."""
        self.seen = self._client._run(self._client._operations.workflow(self.id))
        return self.seen

    def wait(
        self,
        timeout: float | None = None,
        on_progress: OnWorkflow | None = None,
    ) -> WorkflowStatus:
        """Return the finished workflow. Raises `WorkflowFailedError` and `WaitTimeoutError`."""
        steps = self._client._operations.wait_for_workflow(self.seen, timeout, on_progress)
        self.seen = self._client._run(steps)
        return self.seen

    def stream(self) -> Iterator[WorkflowStatus]:
        """Yield the workflow after each of its changes, until it has ended."""
        for seen in self._client._workflow_events(self.id):
            self.seen = seen
            yield seen

    def cancel(self) -> WorkflowStatus:
        """Start no further step. The money of steps that do not run is returned."""
        self.seen = self._client._run(self._client._operations.cancel_workflow(self.id))
        return self.seen


class Batch:
    """A batch of text requests. Returned by `Client.create_batch` and `Client.batch`."""

    def __init__(self, client: Client, seen: BatchStatus) -> None:
        self._client = client
        self.seen = seen
        """The batch's state from the last request."""

    @property
    def id(self) -> str:
        """Return the batch's id. `Client.batch(id)` returns it again, in any process."""
        return self.seen.id

    def status(self) -> BatchStatus:
        """Request and return the current state of the batch."""
        self.seen = self._client._run(self._client._operations.batch(self.id))
        return self.seen

    def wait(
        self,
        timeout: float | None = None,
        on_progress: OnBatch | None = None,
    ) -> BatchStatus:
        """Return the batch at its end: completed, expired or cancelled.

        Raises `BatchFailedError` and `WaitTimeoutError`.
        """
        steps = self._client._operations.wait_for_batch(self.seen, timeout, on_progress)
        self.seen = self._client._run(steps)
        return self.seen

    def cancel(self) -> BatchStatus:
        """Begin no further request. Those that run are completed."""
        self.seen = self._client._run(self._client._operations.cancel_batch(self.id))
        return self.seen

    def results(self) -> Iterator[BatchResult]:
        """Yield the results of an ended batch: first the responses, then the errors."""
        for file_id in (self.seen.output_file_id, self.seen.error_file_id):
            if file_id is not None:
                for result in self._client._batch_results(file_id):
                    yield result


class Client:
    """A client of Tollgate with one API key.

    `api_key` and `base_url` default to the variables `TOLLGATE_API_KEY` and `TOLLGATE_URL`. It may be shared
    between threads. Close it, or use it in a `with` block.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = wire.REQUEST_TIMEOUT_S,
        max_attempts: int = wire.MAX_ATTEMPTS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._settings = Settings.read(api_key, base_url, timeout, max_attempts)
        self._operations = ManyOperations(max_attempts)
        self._http = httpx.Client(base_url=self._settings.base_url, timeout=timeout, transport=transport)

    def run(
        self,
        model: str,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the API's own name
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[CreateOptions],
    ) -> Task:
        """Create one generation, wait for it, and return the finished task.

        Local files in `input` are uploaded. A terminal shows the progress, unless `on_progress` receives it.
        Raises `APIError` if the request failed and nothing was charged, `TaskFailedError` if the generation
        failed and was refunded.
        """
        task = self.submit(model, input, **options)
        with shown_progress(model, on_progress) as show:
            task.wait(timeout, show)
        return task

    def submit(
        self,
        model: str,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the API's own name
        **options: Unpack[CreateOptions],
    ) -> Task:
        """Create a generation and return at once. It is charged now, exactly once."""
        return Task(self, self._run(self._operations.submit(model, input, options)))

    def estimate(self, model: str, input: Mapping[str, Any] | None = None) -> Estimate:  # noqa: A002
        """Return the exact charge of `submit` for the same input."""
        return self._run(self._operations.estimate(model, input))

    def task(self, task_id: str) -> Task:
        """Return an existing task."""
        return Task(self, self._run(self._operations.status(task_id)))

    def tasks(self, *, status: str | None = None, model: str | None = None) -> Iterator[TaskStatus]:
        """Yield the account's tasks, the newest first. Pages are requested when needed."""
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page, cursor = self._run(self._operations.tasks_page(cursor, PAGE_SIZE, status, model))
            for one in page:
                yield one
            if cursor is None:
                return

    def models(self, *, kind: str | None = None, capability: str | None = None) -> list[dict[str, Any]]:
        """Return the catalog. `kind` is `media` or `llm`; an example of `capability` is `text-to-video`."""
        return self._run(self._operations.models(kind, capability))

    def model(self, model_id: str) -> dict[str, Any]:
        """Return one model with its `params` and `pricing`."""
        return self._run(self._operations.model(model_id))

    def balance_cents(self) -> int:
        """Return the account's balance in US cents. The key needs the scope `account`."""
        account = self._run(self._operations.me())
        return int(account["balance"])

    def statement(self, month: str) -> list[dict[str, Any]]:
        """Return all pages of the sealed statement of a month, for `verify_statement`.

        `month` is a text such as `2026-11`. The key needs the scope `account`.
        """
        return self._run(self._operations.statement(month))

    def receipt(self, request_id: str) -> dict[str, Any]:
        """Return the receipt of a task or a text request, for `verify_receipt`."""
        return self._run(self._operations.receipt(request_id))

    def ledger_keys(self) -> dict[str, Any]:
        """Return the public keys that statements and receipts are verified with."""
        return self._run(self._operations.ledger_keys())

    def upload(self, file: Any) -> Upload:
        """Upload a path, bytes or an open binary file.

        Its `id` can be used in any media field, repeatedly.
        """
        return self._run(self._operations.upload(file))

    def delete_file(self, file_id: str) -> None:
        """Delete an uploaded file before it expires."""
        self._run(self._operations.delete_file(file_id))

    def chat(self, model: str, messages: Messages, **options: Any) -> Chat:
        """Return a text model's response to a string or to messages in OpenAI's format."""
        return chat_of(self._run(self._operations.chat(chat_body(model, messages, options))))

    def stream_chat(self, model: str, messages: Messages, **options: Any) -> Iterator[str]:
        """Yield the text of a response as it arrives. Raises `TollgateError` if the stream breaks."""
        body = chat_body(model, messages, options) | {"stream": True}
        send = Send("POST", "/api/v1/chat/completions", json=body)
        headers = send.headers_for(self._settings)
        with reaching(send.path):
            with self._http.stream("POST", send.path, json=body, headers=headers) as response:
                if response.is_error:
                    response.read()
                    wire.data_of(Reply.of(response))
                for line in response.iter_lines():
                    text = text_of(line)
                    if text is None:
                        return
                    if text:
                        yield text
        raise TollgateError("the response broke off")

    def create_workflow(
        self,
        steps: Sequence[WorkflowStep],
        *,
        name: str | None = None,
        webhook: str | None = None,
        max_cost_cents: int | None = None,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Reserve the money of a workflow and start it, exactly once."""
        created = self._operations.create_workflow(
            steps,
            name=name,
            webhook=webhook,
            max_cost_cents=max_cost_cents,
            idempotency_key=idempotency_key,
        )
        return Workflow(self, self._run(created))

    def estimate_workflow(self, steps: Sequence[WorkflowStep]) -> WorkflowEstimate:
        """Return the amount that `create_workflow` would reserve for the same steps."""
        return self._run(self._operations.estimate_workflow(steps))

    def workflow(self, workflow_id: str) -> Workflow:
        """Return an existing workflow."""
        return Workflow(self, self._run(self._operations.workflow(workflow_id)))

    def workflows(self) -> Iterator[WorkflowStatus]:
        """Yield the account's workflows, the newest first. Pages are requested when needed."""
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page, cursor = self._run(self._operations.workflows_page(cursor))
            for one in page:
                yield one
            if cursor is None:
                return

    def create_batch(
        self,
        requests: Mapping[str, Mapping[str, Any]],
        *,
        endpoint: str = CHATS,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Batch:
        """Create a batch of text requests, exactly once. `requests` maps your own ids to bodies."""
        created = self._operations.create_batch(
            requests, endpoint=endpoint, metadata=metadata, idempotency_key=idempotency_key
        )
        return Batch(self, self._run(created))

    def batch(self, batch_id: str) -> Batch:
        """Return an existing batch."""
        return Batch(self, self._run(self._operations.batch(batch_id)))

    def batches(self) -> Iterator[BatchStatus]:
        """Yield the account's batches, the newest first. Pages are requested when needed."""
        after: str | None = None
        for _ in range(MAX_PAGES):
            page, after = self._run(self._operations.batches_page(after))
            for one in page:
                yield one
            if after is None:
                return

    def download(self, file: RemoteFile) -> bytes:
        """Return the bytes of a file."""
        with reaching(file.url):
            response = self._http.get(file.url)
            return response.raise_for_status().content

    def save(self, file: RemoteFile, to: str | os.PathLike[str] = ".") -> Path:
        """Save a file in a folder, or under another name, and return its path."""
        with reaching(file.url):
            with self._http.stream("GET", file.url) as response:
                response.raise_for_status()
                with saving(file, to) as out:
                    for chunk in response.iter_bytes(DOWNLOAD_CHUNK_BYTES):
                        out.write(chunk)
        return place_of(file, to)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        """Return the client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def _workflow_events(self, workflow_id: str) -> Iterator[WorkflowStatus]:
        """Yield the states of a workflow. A stream that ends before the workflow is opened again."""
        send, events, lost = Send("GET", f"/api/v1/workflow/stream/{workflow_id}"), EventReader(), 0
        for _ in range(MAX_STREAMS):
            headers = send.headers_for(self._settings) | events.headers
            try:
                with self._http.stream(send.method, send.path, headers=headers) as response:
                    if response.is_error:
                        response.read()
                        wire.data_of(Reply.of(response))
                    for line in response.iter_lines():
                        seen = events.read(line)
                        if seen is not None:
                            lost = 0
                            yield seen
                            if seen.ended:
                                return
            except httpx.TransportError as exc:
                lost += 1
                if lost == self._settings.max_attempts:
                    raise UnreachableError(f"no answer from {send.path}: {exc!r}") from exc
            time.sleep(RECONNECT_S)
        raise TollgateError(f"the workflow {workflow_id} has not ended after {MAX_STREAMS} streams")

    def _batch_results(self, file_id: str) -> Iterator[BatchResult]:
        send = Send("GET", f"/api/v1/files/{file_id}/content")
        with reaching(send.path):
            # The content is at a signed address of the storage.
            headers = send.headers_for(self._settings)
            with self._http.stream("GET", send.path, headers=headers, follow_redirects=True) as response:
                if response.is_error:
                    response.read()
                    wire.data_of(Reply.of(response))
                for line in response.iter_lines():
                    result = result_of(line)
                    if result is not None:
                        yield result

    def _run(self, steps: Steps[ResultT]) -> ResultT:
        """Carry out an operation, step by step."""
        began = time.monotonic()
        answer: Any = None
        try:
            while True:
                answer = self._do(steps.send(answer), began)
        except StopIteration as ended:
            result: ResultT = ended.value
            return result

    def _do(self, effect: Effect, began: float) -> Any:
        if isinstance(effect, Sleep):
            time.sleep(effect.seconds)
            return time.monotonic() - began
        try:
            if isinstance(effect, PutFile):
                return Reply.of(self._http.post(effect.url, **form_of(effect)))
            response = self._http.request(
                effect.method,
                effect.path,
                json=effect.json,
                params=dict(effect.params),
                headers=effect.headers_for(self._settings),
            )
        except httpx.TransportError as exc:
            if isinstance(effect, PutFile):
                raise TollgateError(f"the upload of {effect.name} failed: {exc!r}") from exc
            return None
        return Reply.of(response)
