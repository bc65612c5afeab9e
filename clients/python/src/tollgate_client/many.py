"""The operations on workflows and batches, without I/O, in the same form as in steps.py."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from tollgate_client.errors import BatchFailedError, WorkflowFailedError
from tollgate_client.models import FAILED, BatchResult, BatchStatus, WorkflowEstimate, WorkflowStatus
from tollgate_client.steps import DEFAULT_WAIT_S, Operations, SeenT, Steps, fetch, until_ended
from tollgate_client.wire import Send

JSONL = "application/jsonl"
CHATS = "/v1/chat/completions"
BATCH_WAIT_S = 25 * 60 * 60.0
"""Longer than the 24 hours of a batch."""
RECONNECT_S = 2.0
"""The pause before a stream of events is opened again. The service suggests this time."""
MAX_STREAMS = 2_000
"""Streams of one workflow. Each is open for a minute, and no workflow takes a day."""


class WorkflowStep(TypedDict, total=False):
    """A step of a new workflow. The documentation of workflows describes each field."""

    id: str
    model: str
    input: Mapping[str, Any]
    dependsOn: Sequence[str]
    provider: Mapping[str, Any]
    private: bool
    expiresInS: int
    finishByS: int
    metadata: Mapping[str, Any]


OnWorkflow = Callable[[WorkflowStatus], None]
OnBatch = Callable[[BatchStatus], None]


class ManyOperations(Operations):
    """The steps of each operation, also of operations on workflows and batches."""

    def create_workflow(
        self,
        steps: Sequence[WorkflowStep],
        *,
        name: str | None,
        webhook: str | None,
        max_cost_cents: int | None,
        idempotency_key: str | None,
    ) -> Steps[WorkflowStatus]:
        """Reserve the money of a workflow and start it, exactly once despite retries."""
        given = {"name": name, "webhook": webhook, "maxCostCents": max_cost_cents}
        body = {"steps": list(steps), **{key: value for key, value in given.items() if value is not None}}
        send = Send("POST", "/api/v1/workflows", json=body, headers=_key(idempotency_key))
        return WorkflowStatus.of((yield from fetch(send, self._max_attempts)))

    def estimate_workflow(self, steps: Sequence[WorkflowStep]) -> Steps[WorkflowEstimate]:
        """Return the amount that a workflow would reserve."""
        send = Send("POST", "/api/v1/workflows/estimate", json={"steps": list(steps)})
        return WorkflowEstimate.of((yield from fetch(send, self._max_attempts)))

    def workflow(self, workflow_id: str) -> Steps[WorkflowStatus]:
        """Request the state of a workflow."""
        return WorkflowStatus.of((yield from self._get(f"/api/v1/workflows/{workflow_id}")))

    def cancel_workflow(self, workflow_id: str) -> Steps[WorkflowStatus]:
        """Start no further step of a workflow."""
        send = Send("POST", f"/api/v1/workflows/{workflow_id}/cancel")
        return WorkflowStatus.of((yield from fetch(send, self._max_attempts)))

    def workflows_page(self, cursor: str | None) -> Steps[tuple[list[WorkflowStatus], str | None]]:
        """Return a page of workflows, the newest first, and the cursor of the next one."""
        data = yield from self._get("/api/v1/workflows", cursor=cursor)
        return [WorkflowStatus.of(one) for one in data["workflows"]], data.get("cursor")

    def wait_for_workflow(
        self, seen: WorkflowStatus, timeout_s: float | None, on_progress: OnWorkflow | None
    ) -> Steps[WorkflowStatus]:
        """Poll until the workflow has ended. Raises `WorkflowFailedError` and `WaitTimeoutError`."""
        ended = yield from _wait(seen, self.workflow, timeout_s or DEFAULT_WAIT_S, on_progress)
        if ended.status == FAILED:
            raise WorkflowFailedError(ended)
        return ended

    def create_batch(
        self,
        requests: Mapping[str, Mapping[str, Any]],
        *,
        endpoint: str,
        metadata: Mapping[str, str] | None,
        idempotency_key: str | None,
    ) -> Steps[BatchStatus]:
        """Upload requests as a file, and create a batch of it, exactly once despite retries.

        Raises `ValueError` without requests.
        """
        if not requests:
            raise ValueError("A batch needs at least one request.")
        lines = [
            {"custom_id": name, "method": "POST", "url": endpoint, "body": body}
            for name, body in requests.items()
        ]
        content = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        file = yield from self.put("batch.jsonl", content, JSONL)
        body: dict[str, Any] = {"input_file_id": file.id, "endpoint": endpoint, "completion_window": "24h"}
        if metadata is not None:
            body["metadata"] = dict(metadata)
        send = Send("POST", "/api/v1/batches", json=body, headers=_key(idempotency_key))
        return BatchStatus.of((yield from fetch(send, self._max_attempts)))

    def batch(self, batch_id: str) -> Steps[BatchStatus]:
        """Request the state of a batch."""
        return BatchStatus.of((yield from self._get(f"/api/v1/batches/{batch_id}")))

    def cancel_batch(self, batch_id: str) -> Steps[BatchStatus]:
        """Begin no further request of a batch."""
        send = Send("POST", f"/api/v1/batches/{batch_id}/cancel")
        return BatchStatus.of((yield from fetch(send, self._max_attempts)))

    def batches_page(self, after: str | None) -> Steps[tuple[list[BatchStatus], str | None]]:
        """Return a page of batches, the newest first, and the id to continue after."""
        data = yield from self._get("/api/v1/batches", after=after)
        return [BatchStatus.of(one) for one in data["data"]], data["last_id"] if data["has_more"] else None

    def wait_for_batch(
        self, seen: BatchStatus, timeout_s: float | None, on_progress: OnBatch | None
    ) -> Steps[BatchStatus]:
        """Poll until the batch has ended. Raises `BatchFailedError` and `WaitTimeoutError`."""
        ended = yield from _wait(seen, self.batch, timeout_s or BATCH_WAIT_S, on_progress)
        if ended.status == FAILED:
            raise BatchFailedError(ended)
        return ended


def result_of(line: str) -> BatchResult | None:
    """Return the result in a line of a batch's files; `None` for an empty line."""
    return BatchResult.of(json.loads(line)) if line.strip() else None


class EventReader:
    """Reads the workflows in a stream of server-sent events. `last_id` is the id of the last event."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self._name = ""

    def read(self, line: str) -> WorkflowStatus | None:
        """Return the workflow that a line has, if it has one."""
        field, _, value = line.partition(": ")
        if field == "event":
            self._name = value
        elif field == "id":
            self.last_id = value
        elif field == "data" and self._name in ("progress", "end"):
            return WorkflowStatus.of(json.loads(value))
        return None

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that continue the stream after the last event."""
        return {} if self.last_id is None else {"last-event-id": self.last_id}


def _wait(
    seen: SeenT,
    look: Callable[[str], Steps[SeenT]],
    bound_s: float,
    on_progress: Callable[[SeenT], None] | None,
) -> Steps[SeenT]:
    def tell(now: SeenT, _: float) -> None:
        if on_progress is not None:
            on_progress(now)

    return until_ended(seen, look, bound_s, tell, lambda _: None)


def _key(given: str | None) -> dict[str, str]:
    return {"idempotency-key": given or f"py-{uuid.uuid4()}"}
