"""The end of a task, in one transaction: its last state, the account, the refund, the webhook owed."""

from dataclasses import dataclass

from tollgate.kit.clock import Clock
from tollgate.kit.queue import Queue
from tollgate.ledger.entries import refund_entry
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.lifecycle import End
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.webhooks.schedule import pending_delivery

MAX_CALLED_UP = 10
"""Waiting tasks that one ending may call up; the next ending calls up more."""


@dataclass(frozen=True, slots=True)
class TaskFinalizer:
    """Ends tasks, and calls up those of the same account that wait for the place."""

    tasks: TaskRepository
    ledger: LedgerRepository
    deliveries: DeliveryRepository
    queue: Queue
    clock: Clock

    def end(self, end: End, *, was_running: bool) -> Task:
        """Write the end once; give the task. Raises `TaskMovedError` when another step came first."""
        task = end.task
        now_ms = self.clock.now_ms()
        refund = (
            refund_entry(
                task.account_id,
                task.task_id,
                task.model,
                task.refunded_micro_usd,
                now_ms,
                counter=task.counter,
            )
            if end.refund
            else None
        )
        others = self.ledger.close_task(task.account_id, refund, was_running=was_running)
        if task.webhook is not None:
            others.append(self.deliveries.enqueue(pending_delivery(task, task.webhook, now_ms)))
        self.tasks.end(task, others)
        self._wake_waiting(task.account_id)
        return task

    def _wake_waiting(self, account_id: str) -> None:
        """Send the first waiting tasks on; lost with a crash here, the sweeper finds them."""
        free, waiting = self.ledger.slots(account_id)
        wanted = min(free, waiting, MAX_CALLED_UP)
        if wanted > 0:
            found = self.tasks.waiting(account_id, wanted)
            self.queue.send_all([{"task_id": task_id, "seq": 0} for task_id in found])
