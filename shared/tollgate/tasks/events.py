"""The webhook events of tasks. Pure; the packages for webhooks do not import tasks."""

from tollgate.artifacts.models import Address
from tollgate.tasks.models import Task
from tollgate.webhooks.models import Delivery, delivery_id_of
from tollgate.webhooks.payload import Event
from tollgate.webhooks.schedule import due_now


def event_of(task: Task, address: Address = str) -> Event:
    """Return the webhook event of an ended task: the body of its status (site/webhooks.md)."""
    return Event(f"task.{task.status}", task.finished_at_ms or task.created_at_ms, task.view(address))


def pending_delivery(task: Task, url: str, now_ms: int) -> Delivery:
    """Return the delivery of an ended task's event, due now."""
    delivery = Delivery(
        delivery_id_of(task.task_id),
        task.account_id,
        url,
        event_of(task).type,
        now_ms,
        task_id=task.task_id,
        correlation_id=task.correlation_id,
    )
    return due_now(delivery)
