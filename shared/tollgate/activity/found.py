"""A request as the ledger and the tasks have it, and how it ended. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.trace import NO_TRACE, Ending, Trace
from tollgate.tasks.models import Task, TaskErrorCode, TaskStatus


class ActivityKind(StrEnum):
    """The kind of a request."""

    TASK = "task"  # A generation of media.
    TEXT = "text"  # A text request.


# The kinds of entries that stand for a request. A refund is part of its task's request.
SHOWN = {
    EntryKind.CHARGE: ActivityKind.TASK,
    EntryKind.TEXT: ActivityKind.TEXT,
    EntryKind.VOID: ActivityKind.TEXT,
}
# Tasks that one read finds: the limit of DynamoDB's BatchGetItem.
TOGETHER = 100
_ENDINGS = {
    TaskStatus.NOT_STARTED: Ending.RUNNING,
    TaskStatus.RUNNING: Ending.RUNNING,
    TaskStatus.FINISHED: Ending.COMPLETED,
    TaskStatus.EXPIRED: Ending.EXPIRED,
}
_FAILURES = {
    TaskErrorCode.CONTENT_REJECTED: Ending.REFUSED,
    TaskErrorCode.INPUT_REJECTED: Ending.REFUSED,
    TaskErrorCode.CANCELLED: Ending.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class Found:
    """A request: its entry, of a kind in `SHOWN`, and the task of a charge, if it still exists."""

    entry: Entry
    task: Task | None = None

    @property
    def kind(self) -> ActivityKind:
        """Return the kind of the request."""
        return SHOWN[self.entry.kind]

    @property
    def request_id(self) -> str:
        """Return the id of the task, or of the text request."""
        return (self.entry.task_id if self.kind is ActivityKind.TASK else self.entry.request_id) or ""

    @property
    def trace(self) -> Trace:
        """Return how it went. Entries from before 2026-11-26 do not have that."""
        return NO_TRACE if self.entry.trace is None else Trace.from_item(self.entry.trace)


def found_of(entries: Sequence[Entry], tasks_of: Callable[[Sequence[str]], Iterable[Task]]) -> list[Found]:
    """Return the requests of entries of kinds in `SHOWN`, in their order.

    `tasks_of` returns the existing tasks of at most `TOGETHER` ids.
    """
    ids = [one.task_id for one in entries if one.task_id and SHOWN[one.kind] is ActivityKind.TASK]
    parts = [ids[first : first + TOGETHER] for first in range(0, len(ids), TOGETHER)]
    tasks = {task.task_id: task for some in parts for task in tasks_of(some)}
    return [Found(one, tasks.get(one.task_id or "")) for one in entries]


def status_of(found: Found) -> TaskStatus:
    """Return the status of a request for the dashboard."""
    if found.kind is ActivityKind.TASK:
        return TaskStatus.NOT_STARTED if found.task is None else found.task.status
    if found.entry.kind is EntryKind.TEXT:
        return TaskStatus.FINISHED
    # An expired hold is voided without its model. A failed request is voided with it.
    return TaskStatus.EXPIRED if found.entry.model is None else TaskStatus.FAILED


def ending_of(found: Found) -> Ending:
    """Return how a request ended."""
    status = status_of(found)
    if found.kind is ActivityKind.TASK:
        error = None if found.task is None else found.task.error
        failure = Ending.FAILED if error is None else _FAILURES.get(error.code, Ending.FAILED)
        return _ENDINGS.get(status, failure)
    if status is TaskStatus.EXPIRED:
        return Ending.EXPIRED
    ending = found.trace.ending
    return Ending.FAILED if status is TaskStatus.FAILED and ending is Ending.COMPLETED else ending
