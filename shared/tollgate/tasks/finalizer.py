"""The end of a task, in one transaction: its last state, the account, the refund, the pending webhook."""

import random
from dataclasses import dataclass

from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.ledger.entries import refund_of
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.events import pending_delivery
from tollgate.tasks.lifecycle import End
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.webhooks.repository import DeliveryRepository

# The number of waiting tasks to choose from at random: two concurrent ends rarely wake the same task.
WAKE_AMONG = 10


@dataclass(frozen=True, slots=True)
class TaskFinalizer:
    """Ends tasks, and wakes tasks of the same account that wait for a slot.

    The end, its refund, the slot and the webhook's delivery are one transaction.
    """

    tasks: TaskRepository
    ledger: LedgerRepository
    deliveries: DeliveryRepository
    queue: Queue
    clock: Clock

    def end(self, end: End, *, was_running: bool, was_woken: bool = False) -> Task:
        """Write the end once; return the task. Raises `StaleTaskError` when another step came first."""
        task = end.task
        now_ms = self.clock.now_ms()
        refund = refund_of(task.charge(), now_ms) if end.refund else None
        # `seq` guards the task's row, so a second step writes none of this: one refund at most.
        others = self.ledger.close_task(
            task.row_id,
            refund,
            was_running=was_running,
            markup_micro_usd=task.markup_micro_usd,
            now_ms=now_ms,
        )
        # The delivery is a row of the same transaction: no crash can end a task and lose its event.
        if task.webhook is not None:
            others.append(self.deliveries.enqueue(pending_delivery(task, task.webhook, now_ms)))
        self.tasks.end(task, others)
        # A task without a slot that was not woken for a slot frees nothing.
        if was_running or was_woken:
            self.start_next(task.row_id)
        return task

    def start_next(self, row_id: str) -> None:
        """Wake one waiting task if there is a slot; after a crash here, the sweeper finds it.

        Never more than one: with a failing provider, ends come faster than starts, and one message for each
        slot would mostly do nothing. A woken task wakes the next one, so free slots fill up.
        """
        slots = self.ledger.slots(row_id)
        among = min(slots.free, slots.waiting, WAKE_AMONG)
        if among > 0 and (found := self.tasks.waiting(row_id, among)):
            # Not a secret: the random choice only spreads the messages.
            self.queue.send({"task_id": random.choice(found), "seq": 0, "woken": True})  # noqa: S311
