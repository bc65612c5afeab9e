"""The client for asyncio. `make clients` writes client.py, the client for threads, from this file."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from tollgate_client import wire
from tollgate_client.aio_handles import AsyncBatch, AsyncTask, AsyncWorkflow
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
    streaming,
    text_of,
)
from tollgate_client.errors import BrokenStreamError, TollgateError, unreachable
from tollgate_client.many import (
    CHATS,
    MAX_STREAMS,
    RECONNECT_S,
    EventReader,
    ManyOperations,
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


class AsyncClient:
    """A client of Tollgate with one API key.

    `api_key` and `base_url` default to the variables `TOLLGATE_API_KEY` and `TOLLGATE_URL`. It may be shared
    by the tasks of one event loop. Close it, or use it in an `async with` block.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = wire.REQUEST_TIMEOUT_S,
        max_attempts: int = wire.MAX_ATTEMPTS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings = Settings.read(api_key, base_url, timeout, max_attempts)
        self._operations = ManyOperations(max_attempts)
        self._http = httpx.AsyncClient(base_url=self._settings.base_url, timeout=timeout, transport=transport)

    async def run(
        self,
        model: str,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the API's own name
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - it limits the wait for the task, not only this call
        on_progress: OnProgress | None = None,
        **options: Unpack[CreateOptions],
    ) -> AsyncTask:
        """Create one generation, wait for it, and return the finished task.

        Local files in `input` are uploaded. A terminal shows the progress, unless `on_progress` receives it.
        Raises `APIError` if the request failed and nothing was charged, `TaskFailedError` if the generation
        failed and was refunded.
        """
        task = await self.submit(model, input, **options)
        with shown_progress(model, on_progress) as show:
            await task.wait(timeout, show)
        return task

    async def submit(
        self,
        model: str,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the API's own name
        **options: Unpack[CreateOptions],
    ) -> AsyncTask:
        """Create a generation and return at once. It is charged now, exactly once."""
        return AsyncTask(self, await self._run(self._operations.submit(model, input, options)))

    async def estimate(self, model: str, input: Mapping[str, Any] | None = None) -> Estimate:  # noqa: A002
        """Return the exact charge of `submit` for the same input."""
        return await self._run(self._operations.estimate(model, input))

    async def task(self, task_id: str) -> AsyncTask:
        """Return an existing task."""
        return AsyncTask(self, await self._run(self._operations.status(task_id)))

    async def tasks(
        self, *, status: str | None = None, model: str | None = None
    ) -> AsyncIterator[TaskStatus]:
        """Yield the account's tasks, the newest first. Pages are requested when needed."""
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page, cursor = await self._run(self._operations.tasks_page(cursor, PAGE_SIZE, status, model))
            for one in page:
                yield one
            if cursor is None:
                return

    async def models(self, *, kind: str | None = None, capability: str | None = None) -> list[dict[str, Any]]:
        """Return the catalog. `kind` is `media` or `llm`; an example of `capability` is `text-to-video`."""
        return await self._run(self._operations.models(kind, capability))

    async def model(self, model_id: str) -> dict[str, Any]:
        """Return one model with its `params` and `pricing`."""
        return await self._run(self._operations.model(model_id))

    async def balance_cents(self) -> int:
        """Return the account's balance in US cents. The key needs the scope `account`."""
        account = await self._run(self._operations.me())
        return int(account["balance"])

    async def statement(self, month: str) -> list[dict[str, Any]]:
        """Return all pages of the sealed statement of a month, for `verify_statement`.

        `month` is a text such as `2026-11`. The key needs the scope `account`.
        """
        return await self._run(self._operations.statement(month))

    async def receipt(self, request_id: str) -> dict[str, Any]:
        """Return the receipt of a task or a text request, for `verify_receipt`."""
        return await self._run(self._operations.receipt(request_id))

    async def ledger_keys(self) -> dict[str, Any]:
        """Return the public keys that statements and receipts are verified with."""
        return await self._run(self._operations.ledger_keys())

    async def upload(self, file: Any) -> Upload:
        """Upload a path, bytes or an open binary file.

        Its `id` can be used in any media field, repeatedly.
        """
        return await self._run(self._operations.upload(file))

    async def delete_file(self, file_id: str) -> None:
        """Delete an uploaded file before it expires."""
        await self._run(self._operations.delete_file(file_id))

    async def chat(self, model: str, messages: Messages, **options: Any) -> Chat:
        """Return a text model's response to a string or to messages in OpenAI's format."""
        return chat_of(await self._run(self._operations.chat(chat_body(model, messages, options))))

    async def stream_chat(self, model: str, messages: Messages, **options: Any) -> AsyncIterator[str]:
        """Yield the text of a response as it arrives. Raises `BrokenStreamError` if it breaks off."""
        body = chat_body(model, messages, options) | {"stream": True}
        send = Send("POST", "/api/v1/chat/completions", json=body)
        headers = send.headers_for(self._settings)
        with reaching(send.path):
            async with self._http.stream("POST", send.path, json=body, headers=headers) as response:
                if response.is_error:
                    await response.aread()
                    wire.data_of(Reply.of(response))
                with streaming():
                    async for line in response.aiter_lines():
                        text = text_of(line)
                        if text is None:
                            return
                        if text:
                            yield text
        raise BrokenStreamError("The stream ended without its last event.")

    async def create_workflow(
        self,
        steps: Sequence[WorkflowStep],
        *,
        name: str | None = None,
        webhook: str | None = None,
        max_cost_cents: int | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncWorkflow:
        """Reserve the money of a workflow and start it, exactly once."""
        created = self._operations.create_workflow(
            steps,
            name=name,
            webhook=webhook,
            max_cost_cents=max_cost_cents,
            idempotency_key=idempotency_key,
        )
        return AsyncWorkflow(self, await self._run(created))

    async def estimate_workflow(self, steps: Sequence[WorkflowStep]) -> WorkflowEstimate:
        """Return the amount that `create_workflow` would reserve for the same steps."""
        return await self._run(self._operations.estimate_workflow(steps))

    async def workflow(self, workflow_id: str) -> AsyncWorkflow:
        """Return an existing workflow."""
        return AsyncWorkflow(self, await self._run(self._operations.workflow(workflow_id)))

    async def workflows(self) -> AsyncIterator[WorkflowStatus]:
        """Yield the account's workflows, the newest first. Pages are requested when needed."""
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page, cursor = await self._run(self._operations.workflows_page(cursor))
            for one in page:
                yield one
            if cursor is None:
                return

    async def create_batch(
        self,
        requests: Mapping[str, Mapping[str, Any]],
        *,
        endpoint: str = CHATS,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncBatch:
        """Create a batch of text requests, exactly once. `requests` maps your own ids to bodies."""
        created = self._operations.create_batch(
            requests, endpoint=endpoint, metadata=metadata, idempotency_key=idempotency_key
        )
        return AsyncBatch(self, await self._run(created))

    async def batch(self, batch_id: str) -> AsyncBatch:
        """Return an existing batch."""
        return AsyncBatch(self, await self._run(self._operations.batch(batch_id)))

    async def batches(self) -> AsyncIterator[BatchStatus]:
        """Yield the account's batches, the newest first. Pages are requested when needed."""
        after: str | None = None
        for _ in range(MAX_PAGES):
            page, after = await self._run(self._operations.batches_page(after))
            for one in page:
                yield one
            if after is None:
                return

    async def download(self, file: RemoteFile) -> bytes:
        """Return the bytes of a file."""
        with reaching(file.url):
            response = await self._http.get(file.url)
            return response.raise_for_status().content

    async def save(self, file: RemoteFile, to: str | os.PathLike[str] = ".") -> Path:
        """Save a file in a folder, or under another name, and return its path."""
        with reaching(file.url):
            async with self._http.stream("GET", file.url) as response:
                response.raise_for_status()
                with saving(file, to) as out:
                    async for chunk in response.aiter_bytes(DOWNLOAD_CHUNK_BYTES):
                        out.write(chunk)
        return place_of(file, to)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.aclose()

    async def _workflow_events(self, workflow_id: str) -> AsyncIterator[WorkflowStatus]:
        """Yield the states of a workflow. A stream that ends before the workflow is opened again."""
        send, events, lost = Send("GET", f"/api/v1/workflow/stream/{workflow_id}"), EventReader(), 0
        for _ in range(MAX_STREAMS):
            headers = send.headers_for(self._settings) | events.headers
            try:
                async with self._http.stream(send.method, send.path, headers=headers) as response:
                    if response.is_error:
                        await response.aread()
                        wire.data_of(Reply.of(response))
                    async for line in response.aiter_lines():
                        seen = events.read(line)
                        if seen is not None:
                            lost = 0
                            yield seen
                            if seen.ended:
                                return
            except httpx.TransportError as exc:
                lost += 1
                if lost == self._settings.max_attempts:
                    raise unreachable(exc) from exc
            await asyncio.sleep(RECONNECT_S)
        raise TollgateError(f"the workflow {workflow_id} has not ended after {MAX_STREAMS} streams")

    async def _batch_results(self, file_id: str) -> AsyncIterator[BatchResult]:
        send = Send("GET", f"/api/v1/files/{file_id}/content")
        with reaching(send.path):
            # The content is at a signed address of the storage.
            headers = send.headers_for(self._settings)
            async with self._http.stream(
                "GET", send.path, headers=headers, follow_redirects=True
            ) as response:
                if response.is_error:
                    await response.aread()
                    wire.data_of(Reply.of(response))
                with streaming():
                    async for line in response.aiter_lines():
                        result = result_of(line)
                        if result is not None:
                            yield result

    async def _run(self, steps: Steps[ResultT]) -> ResultT:
        """Carry out an operation, step by step."""
        began = time.monotonic()
        answer: Any = None
        try:
            while True:
                answer = await self._do(steps.send(answer), began)
        except StopIteration as ended:
            result: ResultT = ended.value
            return result

    async def _do(self, effect: Effect, began: float) -> Any:
        if isinstance(effect, Sleep):
            await asyncio.sleep(effect.seconds)
            return time.monotonic() - began
        try:
            if isinstance(effect, PutFile):
                return Reply.of(await self._http.post(effect.url, **form_of(effect)))
            response = await self._http.request(
                effect.method,
                effect.path,
                json=effect.json,
                params=dict(effect.params),
                headers=effect.headers_for(self._settings),
            )
        except httpx.TransportError as exc:
            if isinstance(effect, PutFile):
                raise TollgateError(f"the upload of {effect.name} failed: {exc!r}") from exc
            return exc
        return Reply.of(response)
