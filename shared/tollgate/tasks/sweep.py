"""The one timer: finds tasks, deliveries and holds whose time has come, or whose chain broke (design §4)."""

from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.queue import Queue
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.repository import TaskMovedError, TaskRepository
from tollgate.webhooks.repository import DeliveryMovedError, DeliveryRepository

MAX_DUE_PER_SHARD = 200
"""In one sweep; what is left over waits a minute for the next."""
AGAIN_MS = 120 * MS_PER_S
"""When a row that was sent again is taken for stuck once more; its message may only wait its turn."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How many messages a sweep sent, and how many holds it resolved."""

    tasks: int
    deliveries: int
    holds: int


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Sends a message for every row whose `wake_at` has passed. Decides nothing: the steps do."""

    tasks: TaskRepository
    deliveries: DeliveryRepository
    ledger: LedgerRepository
    task_queue: Queue
    webhook_queue: Queue
    clock: Clock

    def sweep(self) -> Swept:
        """Send what is due. A message too many is harmless: the row's counter makes it stale."""
        now_ms = self.clock.now_ms()
        return Swept(
            self._sweep_tasks(now_ms),
            self._sweep_deliveries(now_ms),
            self.ledger.expire_holds(now_ms, MAX_DUE_PER_SHARD),
        )

    def _sweep_tasks(self, now_ms: int) -> int:
        due = self.tasks.due(now_ms, MAX_DUE_PER_SHARD)
        # Sent first, postponed after: a crash in between sends twice rather than never.
        self.task_queue.send_all([{"task_id": task.task_id, "seq": task.seq} for task in due])
        for task in due:
            try:
                self.tasks.postpone(task, now_ms + AGAIN_MS)
            except TaskMovedError:
                continue  # the message was quicker than we are: all is well
        return len(due)

    def _sweep_deliveries(self, now_ms: int) -> int:
        due = self.deliveries.due(now_ms, MAX_DUE_PER_SHARD)
        self.webhook_queue.send_all([{"delivery_id": one, "attempt": attempt} for one, attempt in due])
        for delivery_id, attempt in due:
            try:
                self.deliveries.postpone(delivery_id, attempt, now_ms + AGAIN_MS)
            except DeliveryMovedError:
                continue  # as above
        return len(due)
