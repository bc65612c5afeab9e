"""Webhook events about the progress of a task, if its customer asked for them. Pure.

Source: site/webhooks.md#progress; docs/decisions/0104-options-of-a-task.md.
"""

from dataclasses import replace

from tollgate.kit.clock import MS_PER_S
from tollgate.tasks.models import Task, TaskStatus, Told
from tollgate.webhooks.models import MAX_PROGRESS_EVENTS, PROGRESS_EVENT, Delivery, progress_delivery_id
from tollgate.webhooks.payload import Event
from tollgate.webhooks.schedule import due_now

# The least time between two events of a task.
MIN_GAP_MS = 10 * MS_PER_S


def with_progress_event(task: Task, now_ms: int) -> tuple[Task, Delivery | None]:
    """Return a running task as it should be written, and the delivery of its next event, if one is due.

    An event is due if the task has started, or if its progress differs from the last event's.
    """
    told = task.told
    if told is None or task.webhook is None or told.count >= MAX_PROGRESS_EVENTS:
        return task, None
    if told.count and (now_ms - told.at_ms < gap_ms(task) or task.progress == told.progress):
        return task, None
    sequence = told.count + 1
    delivery = Delivery(
        progress_delivery_id(task.task_id, sequence),
        task.account_id,
        task.webhook,
        PROGRESS_EVENT,
        now_ms,
        task_id=task.task_id,
        correlation_id=task.correlation_id,
        data={"sequence": sequence, "progress": task.progress},
    )
    return replace(task, told=Told(sequence, now_ms, task.progress)), due_now(delivery)


def gap_ms(task: Task) -> int:
    """Return the least time between two events, which spreads them over the whole time of the task."""
    return max(MIN_GAP_MS, (task.deadline_at_ms - task.created_at_ms) // MAX_PROGRESS_EVENTS)


def progress_event_of(task: Task, delivery: Delivery) -> Event:
    """Return the event of a delivery: the task as it was then, with the number of the event."""
    told = delivery.data or {}
    then = replace(
        task,
        status=TaskStatus.RUNNING,
        progress=told.get("progress"),
        files=(),
        output=None,
        error=None,
        refunded_micro_usd=0,
        finished_at_ms=None,
        expires_at_ms=None,
        files_deleted_at_ms=None,
    )
    return Event(PROGRESS_EVENT, delivery.created_at_ms, {**then.view(), "sequence": told.get("sequence")})
