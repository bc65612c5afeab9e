"""The data in the service's responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FINISHED, FAILED, EXPIRED = "finished", "failed", "expired"
ENDED = frozenset({FINISHED, FAILED, EXPIRED})
BATCH_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True)
class RemoteFile:
    """A result file of a task. `url` is public; `type` is image, video or audio."""

    url: str
    type: str
    content_type: str | None = None
    bytes: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """Return the last part of the URL for use in a file name."""
        return self.url.rsplit("/", 1)[-1].split("?", 1)[0] or "file"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> RemoteFile:
        """Return the file for an entry of a task's `files`."""
        return cls(
            data["fileUrl"],
            data.get("fileType", "file"),
            data.get("contentType"),
            data.get("bytes"),
            data.get("sha256"),
        )


@dataclass(frozen=True)
class TaskStatus:
    """The state of a task at the time of the request."""

    id: str
    status: str
    model: str | None = None
    progress: int | None = None
    cost_cents: int | None = None
    refunded_cents: int | None = None
    files: tuple[RemoteFile, ...] = ()
    output: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    poll_after_s: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The original body of the status, for fields that have no attribute."""

    @property
    def ended(self) -> bool:
        """Return whether the task is finished, failed or expired."""
        return self.status in ENDED

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TaskStatus:
        """Return the status for the `data` of a create, a status or a webhook event."""
        return cls(
            id=data["taskId"],
            status=data["status"],
            model=data.get("model"),
            progress=data.get("progress"),
            cost_cents=data.get("costCents"),
            refunded_cents=data.get("refundedCents"),
            files=tuple(RemoteFile.of(one) for one in data.get("files") or ()),
            output=data.get("output"),
            error=data.get("error"),
            poll_after_s=data.get("pollAfterS"),
            data=data,
        )


@dataclass(frozen=True)
class Estimate:
    """The charge of a create in US cents, and the `price_version` for which it was calculated."""

    model: str
    price_cents: int
    price_version: str | None
    breakdown: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Estimate:
        """Return the estimate for the `data` of the response."""
        return cls(data["model"], data["price"], data.get("priceVersion"), tuple(data.get("breakdown") or ()))


@dataclass(frozen=True)
class Upload:
    """An uploaded file, which the service keeps for some time. Use `id` (`file_…`) in any media field."""

    id: str
    url: str | None = None
    expires_at: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Upload:
        """Return the upload for the `data` of a file."""
        return cls(data["id"], data.get("url"), data.get("expiresAt"))


@dataclass(frozen=True)
class Chat:
    """A text response: `text`, the tokens in `usage`, and the cost in micro-USD if it is known."""

    text: str
    usage: Mapping[str, Any] | None
    cost_micro_usd: int | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Progress:
    """The progress of a task during a wait. `percent` is `None` unless its provider reports it."""

    task: TaskStatus
    elapsed_s: float

    @property
    def percent(self) -> int | None:
        """Return 0–100, or `None`."""
        return self.task.progress


@dataclass(frozen=True)
class WorkflowStepStatus:
    """The state of a step of a workflow. A chat has its answer in `text`, a generation has `files`."""

    id: str
    kind: str
    model: str
    status: str
    cost_micro_usd: int
    refunded_micro_usd: int
    task_id: str | None = None
    files: tuple[RemoteFile, ...] = ()
    text: str | None = None
    error: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> WorkflowStepStatus:
        """Return the step for an entry of a workflow's `steps`."""
        return cls(
            data["id"],
            data["kind"],
            data["model"],
            data["status"],
            data["costMicroUsd"],
            data["refundedMicroUsd"],
            data.get("taskId"),
            tuple(RemoteFile.of(one) for one in data.get("files") or ()),
            data.get("text"),
            data.get("error"),
        )


@dataclass(frozen=True)
class WorkflowStatus:
    """The state of a workflow at the time of the request. `steps` are in the order of the create."""

    id: str
    status: str
    total_micro_usd: int
    cost_micro_usd: int
    is_cancelled: bool
    steps: tuple[WorkflowStepStatus, ...]
    name: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ended(self) -> bool:
        """Return whether the workflow is finished or failed."""
        return self.status in ENDED

    def step(self, step_id: str) -> WorkflowStepStatus:
        """Return the step with this id. Raises `KeyError`."""
        return {step.id: step for step in self.steps}[step_id]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> WorkflowStatus:
        """Return the status for the `data` of a workflow or a webhook event."""
        return cls(
            data["id"],
            data["status"],
            data["totalMicroUsd"],
            data["costMicroUsd"],
            data["isCancelled"],
            tuple(map(WorkflowStepStatus.of, data["steps"])),
            data.get("name"),
            data,
        )


@dataclass(frozen=True)
class WorkflowEstimate:
    """The amount that a workflow would reserve, and the price of each step by its id."""

    total_cents: int
    total_micro_usd: int
    steps: Mapping[str, int]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> WorkflowEstimate:
        """Return the estimate for the `data` of the response."""
        steps = {step["id"]: step["priceMicroUsd"] for step in data["steps"]}
        return cls(data["totalCents"], data["totalMicroUsd"], steps)


@dataclass(frozen=True)
class BatchStatus:
    """The state of a batch at the time of the request, and the numbers of its requests."""

    id: str
    status: str
    endpoint: str
    total: int
    completed: int
    failed: int
    output_file_id: str | None = None
    error_file_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ended(self) -> bool:
        """Return whether nothing more happens to the batch."""
        return self.status in BATCH_ENDED

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> BatchStatus:
        """Return the status for the body of a batch."""
        counts = data["request_counts"]
        return cls(
            data["id"],
            data["status"],
            data["endpoint"],
            counts["total"],
            counts["completed"],
            counts["failed"],
            data.get("output_file_id"),
            data.get("error_file_id"),
            data,
        )


@dataclass(frozen=True)
class BatchResult:
    """The result of one request of a batch: its `body` with an HTTP `status`, or an `error`."""

    custom_id: str
    status: int | None
    body: Any
    error: Mapping[str, Any] | None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> BatchResult:
        """Return the result for a line of a batch's files."""
        response = data.get("response") or {}
        return cls(data["custom_id"], response.get("status_code"), response.get("body"), data.get("error"))
