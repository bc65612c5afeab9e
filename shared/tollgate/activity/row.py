"""One row of the activity: a generation, or a text request. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from tollgate.kit.clock import iso
from tollgate.kit.money import usd_text
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.tasks.models import Task, TaskStatus

ARROW = " → "
# The disjoint counts of a request's input (`text/usage.py`).
INPUT_COUNTS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")

COLUMNS = (
    "createdAt", "kind", "id", "keyId", "model", "route", "status", "latencyMs", "firstByteMs", "inputTokens",
    "outputTokens", "costUsd", "refundedUsd",
)  # fmt: skip


class ActivityKind(StrEnum):
    """The kind of a request."""

    TASK = "task"  # A generation of media.
    TEXT = "text"  # A text request.


# The kinds of entries that get a row. A refund is part of the row of its task.
SHOWN = {
    EntryKind.CHARGE: ActivityKind.TASK,
    EntryKind.TEXT: ActivityKind.TEXT,
    EntryKind.VOID: ActivityKind.TEXT,
}


@dataclass(frozen=True, slots=True)
class Activity:
    """One row. `key_id` is missing for the dashboard; `route` is empty before the first attempt.

    `cost_micro_usd` is the charge before refunds. Only streamed responses have `first_byte_ms`.
    """

    kind: ActivityKind
    row_id: str
    created_at_ms: int
    model: str
    status: TaskStatus
    cost_micro_usd: int
    refunded_micro_usd: int = 0
    key_id: str | None = None
    route: str = ""
    latency_ms: int | None = None
    first_byte_ms: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    thumbnail_url: str | None = None
    """The thumbnail of a generation's first file. The file may be missing."""

    def cells(self) -> list[str | int | None]:
        """Return the row for a spreadsheet, in the order of `COLUMNS`."""
        return [
            iso(self.created_at_ms),
            str(self.kind),
            self.row_id,
            self.key_id,
            self.model,
            self.route,
            str(self.status),
            self.latency_ms,
            self.first_byte_ms,
            self.input_tokens,
            self.output_tokens,
            usd_text(self.cost_micro_usd),
            usd_text(self.refunded_micro_usd),
        ]


def row_of(entry: Entry, task: Task | None) -> Activity:
    """Return the row of an entry of a kind in `SHOWN`; `task` is the task of a charge, if it still exists."""
    if SHOWN[entry.kind] is ActivityKind.TEXT:
        return _text_row(entry)
    ended = task is not None and task.finished_at_ms is not None
    return Activity(
        ActivityKind.TASK,
        entry.task_id or "",
        entry.created_at_ms,
        entry.model or "",
        TaskStatus.NOT_STARTED if task is None else task.status,
        -entry.amount_micro_usd,
        0 if task is None else task.refunded_micro_usd,
        entry.key_id,
        "" if task is None else ARROW.join(attempt.provider for attempt in task.attempts),
        (task.finished_at_ms or 0) - task.created_at_ms if task is not None and ended else None,
        thumbnail_url=task.files[0].thumbnail_url if task is not None and task.files else None,
    )


def _text_status(entry: Entry) -> TaskStatus:
    if entry.kind is EntryKind.TEXT:
        return TaskStatus.FINISHED
    # An expired hold is voided without its model. A failed request is voided with it.
    return TaskStatus.EXPIRED if entry.model is None else TaskStatus.FAILED


def _text_row(entry: Entry) -> Activity:
    usage = entry.usage
    return Activity(
        ActivityKind.TEXT,
        entry.request_id or "",
        entry.created_at_ms,
        entry.model or "",
        _text_status(entry),
        -entry.amount_micro_usd,
        key_id=entry.key_id,
        route=entry.provider or "",
        latency_ms=entry.latency_ms,
        first_byte_ms=entry.first_byte_ms,
        input_tokens=None if usage is None else sum(usage.get(name, 0) for name in INPUT_COUNTS),
        output_tokens=None if usage is None else usage.get("output_tokens", 0),
    )
