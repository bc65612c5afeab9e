"""The one timer: finds tasks, deliveries and holds whose time has come, or whose chain broke.

Source: docs/architecture.md#tasks.
"""

from contextlib import suppress
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.due_index import DueIndex, MovedOnError
from tollgate.kit.queue import Queue
from tollgate.ledger.repository import LedgerRepository

# In one sweep; what is left over waits a minute for the next.
MAX_DUE_PER_SHARD = 200
# When a row that was sent again is taken for stuck once more; its message may only wait its turn.
AGAIN_MS = 120 * MS_PER_S
# The same for tasks that have not started: most wait for a slot, and the end of another wakes them.
WAITING_AGAIN_MS = 300 * MS_PER_S


@dataclass(frozen=True, slots=True)
class Swept:
    """How many messages a sweep sent, and how many holds it resolved.

    Of tasks and deliveries one for each row whose `wake_at` had passed, whatever became of its own messages.
    """

    tasks: int
    deliveries: int
    holds: int


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Sends a message for every row whose `wake_at` has passed. Decides nothing: the steps do."""

    tasks: DueIndex
    deliveries: DueIndex
    ledger: LedgerRepository
    task_queue: Queue
    webhook_queue: Queue
    clock: Clock

    def sweep(self) -> Swept:
        """Send what is due. A message too many is harmless: the row's counter makes it stale."""
        now_ms = self.clock.now_ms()
        return Swept(
            self._send_due(self.tasks, self.task_queue, now_ms, WAITING_AGAIN_MS),
            self._send_due(self.deliveries, self.webhook_queue, now_ms, AGAIN_MS),
            # Holds need no message: what is due is resolved here, by a write that is harmless the second
            # time.
            self.ledger.expire_holds(now_ms, MAX_DUE_PER_SHARD),
        )

    @staticmethod
    def _send_due(index: DueIndex, queue: Queue, now_ms: int, unmoved_again_ms: int) -> int:
        """Send what is due of one table; `unmoved_again_ms` is for rows that no step has moved yet."""
        due = index.due(now_ms, MAX_DUE_PER_SHARD)
        # Sent first, postponed after: a crash in between sends twice rather than never.
        queue.send_all([{index.key: row.row_id, "seq": row.seq} for row in due])
        for row in due:
            # The message may be quicker than we are: all is well then.
            with suppress(MovedOnError):
                index.postpone(row, now_ms + (AGAIN_MS if row.seq else unmoved_again_ms))
        return len(due)
