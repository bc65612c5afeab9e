"""Tasks, workflows and batches for asyncio. `make clients` writes handles.py from this file."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from tollgate_client.calls import OnProgress, check_finished
from tollgate_client.errors import TollgateError
from tollgate_client.many import OnBatch, OnWorkflow
from tollgate_client.models import BatchResult, BatchStatus, RemoteFile, TaskStatus, WorkflowStatus

if TYPE_CHECKING:
    from tollgate_client.aio import AsyncClient


class AsyncTask:
    """A generation. Returned by `AsyncClient.submit` and `AsyncClient.task`."""

    def __init__(self, client: AsyncClient, seen: TaskStatus) -> None:
        self._client = client
        self.seen = seen
        """The task's state from the last request."""

    def __repr__(self) -> str:
        """Return the id and the last known status."""
        return f"{type(self).__name__}({self.id!r}, {self.seen.status!r})"

    @property
    def id(self) -> str:
        """Return the task's id. `AsyncClient.task(id)` returns the task again, in any process."""
        return self.seen.id

    @property
    def files(self) -> tuple[RemoteFile, ...]:
        """Return the files of a finished task."""
        return self.seen.files

    async def status(self) -> TaskStatus:
        """Request and return the current state of the task."""
        self.seen = await self._client._run(self._client._operations.status(self.id))
        return self.seen

    async def wait(self, timeout: float | None = None, on_progress: OnProgress | None = None) -> TaskStatus:  # noqa: ASYNC109
        """Return the finished task. Raises `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`."""
        self.seen = await self._client._run(self._client._operations.wait(self.seen, timeout, on_progress))
        return self.seen

    async def cancel(self) -> TaskStatus:
        """Cancel the task. It is refunded if it ends without a result."""
        self.seen = await self._client._run(self._client._operations.cancel(self.id))
        return self.seen

    async def delete_files(self) -> TaskStatus:
        """Delete the files of the task, which must have ended. The task and its price remain."""
        self.seen = await self._client._run(self._client._operations.delete_files(self.id))
        return self.seen

    async def save(self, folder: str | os.PathLike[str] = ".") -> list[Path]:
        """Save the files of a finished task in `folder` and return their paths.

        Raises `TollgateError` if the task has not finished.
        """
        check_finished(self.seen)
        return [await self._client.save(file, folder) for file in self.files]


class AsyncWorkflow:
    """A workflow. Returned by `AsyncClient.create_workflow` and `AsyncClient.workflow`."""

    def __init__(self, client: AsyncClient, seen: WorkflowStatus) -> None:
        self._client = client
        self.seen = seen
        """The workflow's state from the last request."""

    def __repr__(self) -> str:
        """Return the id and the last known status."""
        return f"{type(self).__name__}({self.id!r}, {self.seen.status!r})"

    @property
    def id(self) -> str:
        """Return the workflow's id. `AsyncClient.workflow(id)` returns it again, in any process."""
        return self.seen.id

    async def status(self) -> WorkflowStatus:
        """Request and return the current state of the workflow."""
        self.seen = await self._client._run(self._client._operations.workflow(self.id))
        return self.seen

    async def wait(
        self,
        timeout: float | None = None,  # noqa: ASYNC109
        on_progress: OnWorkflow | None = None,
    ) -> WorkflowStatus:
        """Return the finished workflow. Raises `WorkflowFailedError` and `WaitTimeoutError`."""
        steps = self._client._operations.wait_for_workflow(self.seen, timeout, on_progress)
        self.seen = await self._client._run(steps)
        return self.seen

    async def stream(self) -> AsyncIterator[WorkflowStatus]:
        """Yield the workflow after each of its changes, until it has ended."""
        async for seen in self._client._workflow_events(self.id):
            self.seen = seen
            yield seen

    async def cancel(self) -> WorkflowStatus:
        """Start no further step. The money of steps that do not run is returned."""
        self.seen = await self._client._run(self._client._operations.cancel_workflow(self.id))
        return self.seen


class AsyncBatch:
    """A batch of text requests. Returned by `AsyncClient.create_batch` and `AsyncClient.batch`."""

    def __init__(self, client: AsyncClient, seen: BatchStatus) -> None:
        self._client = client
        self.seen = seen
        """The batch's state from the last request."""

    def __repr__(self) -> str:
        """Return the id and the last known status."""
        return f"{type(self).__name__}({self.id!r}, {self.seen.status!r})"

    @property
    def id(self) -> str:
        """Return the batch's id. `AsyncClient.batch(id)` returns it again, in any process."""
        return self.seen.id

    async def status(self) -> BatchStatus:
        """Request and return the current state of the batch."""
        self.seen = await self._client._run(self._client._operations.batch(self.id))
        return self.seen

    async def wait(
        self,
        timeout: float | None = None,  # noqa: ASYNC109
        on_progress: OnBatch | None = None,
    ) -> BatchStatus:
        """Return the batch at its end: completed, expired or cancelled.

        Raises `BatchFailedError` and `WaitTimeoutError`.
        """
        steps = self._client._operations.wait_for_batch(self.seen, timeout, on_progress)
        self.seen = await self._client._run(steps)
        return self.seen

    async def cancel(self) -> BatchStatus:
        """Begin no further request. Those that run are completed."""
        self.seen = await self._client._run(self._client._operations.cancel_batch(self.id))
        return self.seen

    async def results(self) -> AsyncIterator[BatchResult]:
        """Yield the results of an ended batch: first the responses, then the errors.

        Raises `TollgateError` if the batch has not ended.
        """
        if not self.seen.ended:
            raise TollgateError(f"Batch {self.id} is {self.seen.status}. Call wait() before results().")
        for file_id in (self.seen.output_file_id, self.seen.error_file_id):
            if file_id is not None:
                async for result in self._client._batch_results(file_id):
                    yield result
