"""Batches in the shapes of OpenAI and Anthropic. Pure.

Source: `openai.types.batch`, `anthropic.types.messages.message_batch`.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from tollgate.batches.models import ENDED, Batch, State
from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.response_shapes import Keywords, Shape, Timestamp

Seconds = Annotated[int, Keywords(description="Seconds since 1970.")]


class BatchErrorView(Shape):
    """A problem of a batch's input."""

    code: str
    message: str
    param: str | None
    line: int | None


class BatchErrorsView(Shape):
    """The first problems of a batch's input."""

    object: Literal["list"]
    data: list[BatchErrorView]


class BatchCountsView(Shape):
    """Lines by their outcome. Lines that were not run count as failed when the batch has ended."""

    total: int
    completed: int
    failed: int


class BatchView(Shape):
    """A batch, in OpenAI's shape."""

    id: str
    object: Literal["batch"]
    endpoint: str
    input_file_id: str
    completion_window: Literal["24h"]
    status: State
    errors: BatchErrorsView | None
    output_file_id: str | None
    """Responses, one per line; null without any."""
    error_file_id: str | None
    """Errors, one per line; null without any."""
    created_at: Seconds
    in_progress_at: Seconds | None
    expires_at: Seconds
    finalizing_at: Seconds | None
    completed_at: Seconds | None
    failed_at: Seconds | None
    expired_at: Seconds | None
    cancelling_at: Seconds | None
    cancelled_at: Seconds | None
    request_counts: BatchCountsView
    metadata: dict[str, str] | None


class BatchListView(Shape):
    """A page of batches, the newest first."""

    object: Literal["list"]
    data: list[BatchView]
    first_id: str | None
    last_id: str | None
    has_more: bool


class MessageBatchCountsView(Shape):
    """Requests by their outcome. All are processing until the batch has ended."""

    processing: int
    succeeded: int
    errored: int
    canceled: int
    expired: int


class MessageBatchView(Shape):
    """A batch, in Anthropic's shape."""

    id: str
    type: Literal["message_batch"]
    processing_status: Literal["in_progress", "canceling", "ended"]
    request_counts: MessageBatchCountsView
    created_at: Timestamp
    expires_at: Timestamp
    ended_at: Timestamp | None
    cancel_initiated_at: Timestamp | None
    archived_at: Timestamp | None
    """Always null: a batch and its results are deleted together, after 30 days."""
    results_url: str | None


class MessageBatchListView(Shape):
    """A page of batches in Anthropic's shape, the newest first."""

    data: list[MessageBatchView]
    first_id: str | None
    last_id: str | None
    has_more: bool


class DeletedMessageBatchView(Shape):
    """A deleted batch."""

    id: str
    type: Literal["message_batch_deleted"]


def batch_view(batch: Batch) -> BatchView:
    """Return a batch in OpenAI's shape."""
    row = batch.row
    errors: BatchErrorsView | None = {"object": "list", "data": row["errors"]} if row["errors"] else None
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": row["endpoint"],
        "input_file_id": row["input_file_id"],
        "completion_window": "24h",
        "status": batch.state,
        "errors": errors,
        "output_file_id": row["output_file_id"] if batch.is_ended else None,
        "error_file_id": row["error_file_id"] if batch.is_ended else None,
        "created_at": batch.time(State.VALIDATING) or 0,
        "in_progress_at": batch.time(State.IN_PROGRESS),
        "expires_at": int(row["ends_by_s"]),
        "finalizing_at": batch.time(State.FINALIZING),
        "completed_at": batch.time(State.COMPLETED),
        "failed_at": batch.time(State.FAILED),
        "expired_at": batch.time(State.EXPIRED),
        "cancelling_at": batch.time(State.CANCELLING),
        "cancelled_at": batch.time(State.CANCELLED),
        "request_counts": {
            "total": row["total"],
            "completed": batch.succeeded,
            "failed": batch.errored + row["not_run"],
        },
        "metadata": row["metadata"] or None,
    }


def message_batch_view(batch: Batch, base_url: str) -> MessageBatchView:
    """Return a batch in Anthropic's shape. `base_url` is the address of the API."""
    row, is_ended = batch.row, batch.is_ended
    ended = next((at for state in sorted(ENDED) if (at := batch.time(state)) is not None), None)
    is_cancelled = batch.state is State.CANCELLED
    cancelling_at = batch.time(State.CANCELLING)
    is_canceling = cancelling_at is not None
    url = f"{base_url}/api/v1/messages/batches/{batch.id}/results"
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if is_ended else "canceling" if is_canceling else "in_progress",
        "request_counts": {
            "processing": 0 if is_ended else row["total"],
            "succeeded": row["succeeded"] if is_ended else 0,
            "errored": row["errored"] if is_ended else 0,
            "canceled": row["not_run"] if is_cancelled else 0,
            "expired": row["not_run"] if is_ended and not is_cancelled else 0,
        },
        "created_at": _iso(batch.time(State.VALIDATING)) or "",
        "expires_at": _iso(int(row["ends_by_s"])) or "",
        "ended_at": _iso(ended),
        "cancel_initiated_at": _iso(cancelling_at),
        "archived_at": None,
        "results_url": url if is_ended else None,
    }


def batch_list_view(batches: Sequence[Batch], *, has_more: bool) -> BatchListView:
    """Return a page of batches in OpenAI's shape."""
    shown = [batch_view(each) for each in batches]
    first, last = _ends(batches)
    return {"object": "list", "data": shown, "first_id": first, "last_id": last, "has_more": has_more}


def message_batch_list_view(
    batches: Sequence[Batch], base_url: str, *, has_more: bool
) -> MessageBatchListView:
    """Return a page of batches in Anthropic's shape."""
    shown = [message_batch_view(each, base_url) for each in batches]
    first, last = _ends(batches)
    return {"data": shown, "first_id": first, "last_id": last, "has_more": has_more}


def _ends(batches: Sequence[Batch]) -> tuple[str | None, str | None]:
    return (batches[0].id, batches[-1].id) if batches else (None, None)


def _iso(seconds: int | None) -> str | None:
    return None if seconds is None else iso(seconds * MS_PER_S)
