"""One row of the activity: a generation, or a text request. Pure."""

from dataclasses import dataclass

from tollgate.activity.found import ActivityKind, Found, status_of
from tollgate.kit.clock import iso
from tollgate.kit.csv_table import Cell
from tollgate.kit.money import usd_decimal
from tollgate.ledger.attribution import tags_text
from tollgate.ledger.trace import Ending
from tollgate.tasks.models import TaskStatus
from tollgate.usage.counts import INPUT, OUTPUT

ARROW = " → "
STOPPED = (Ending.CANCELLED, Ending.DISCONNECTED)
COLUMNS = (
    "createdAt", "kind", "id", "keyId", "model", "route", "status", "latencyMs", "firstByteMs", "inputTokens",
    "outputTokens", "costUsd", "refundedUsd", "user", "tags", "projectId", "tokenId",
)  # fmt: skip


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
    user: str | None = None
    tags: str = ""
    """The tags in the form of the header."""
    project: str | None = None
    token: str | None = None
    is_stopped: bool = False
    """Whether a text request was ended by its client before its response was complete."""

    def cells(self) -> list[Cell]:
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
            usd_decimal(self.cost_micro_usd),
            usd_decimal(self.refunded_micro_usd),
            self.user,
            self.tags,
            self.project,
            self.token,
        ]


def row_of(found: Found) -> Activity:
    """Return the row of a request."""
    if found.kind is ActivityKind.TEXT:
        return _text_row(found)
    entry, task = found.entry, found.task
    ended = task is not None and task.finished_at_ms is not None
    return Activity(
        ActivityKind.TASK,
        found.request_id,
        entry.created_at_ms,
        entry.model or "",
        status_of(found),
        -entry.amount_micro_usd,
        0 if task is None else task.refunded_micro_usd,
        entry.key_id,
        "" if task is None else ARROW.join(attempt.provider for attempt in task.attempts),
        (task.finished_at_ms or 0) - task.created_at_ms if task is not None and ended else None,
        thumbnail_url=task.files[0].thumbnail_url if task is not None and task.files else None,
        user=entry.user,
        tags=tags_text(entry.tags or {}),
        project=entry.project,
        token=entry.token,
    )


def _text_row(found: Found) -> Activity:
    entry, usage = found.entry, found.entry.usage
    return Activity(
        ActivityKind.TEXT,
        found.request_id,
        entry.created_at_ms,
        entry.model or "",
        status_of(found),
        -entry.amount_micro_usd,
        key_id=entry.key_id,
        route=entry.provider or "",
        latency_ms=entry.latency_ms,
        first_byte_ms=entry.first_byte_ms,
        input_tokens=None if usage is None else sum(usage.get(name, 0) for name in INPUT),
        output_tokens=None if usage is None else sum(usage.get(name, 0) for name in OUTPUT),
        user=entry.user,
        tags=tags_text(entry.tags or {}),
        project=entry.project,
        token=entry.token,
        is_stopped=found.trace.ending in STOPPED,
    )
