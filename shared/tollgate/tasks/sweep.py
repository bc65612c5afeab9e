"""The one timer: finds due tasks, deliveries and holds, and broken chains.

Source: docs/architecture.md#tasks.
"""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.kit.aws.queue import Queue
from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.due_index import Due, DueIndex, StaleDueRowError
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.models import is_workflow
from tollgate.text.responses.stopped import StoppedResponses

# In one sweep; the rest waits a minute for the next.
MAX_DUE_PER_SHARD = 200
# Deliveries whose sending a process remembers.
MAX_SENT = 2_000
# When a row that was sent again is considered stuck once more; its message may only wait its turn.
RESEND_AFTER_MS = 120 * MS_PER_S
# The same for tasks that have not started: most wait for a slot, and the end of another task wakes them.
RESEND_WAITING_AFTER_MS = 300 * MS_PER_S


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """The number of messages that a sweep sent, of holds that it resolved, and of charges that it returned.

    One message for each task or delivery whose `wake_at` had passed, even if an earlier message is pending.
    `is_late`: the same delivery was due two minutes ago, and nothing has moved it since.
    """

    tasks: int
    deliveries: int
    holds: int
    responses: int
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Sends a message for every row whose `wake_at` has passed. Decides nothing: the steps do."""

    tasks: DueIndex
    deliveries: DueIndex
    ledger: LedgerRepository
    responses: StoppedResponses
    task_queue: Queue
    webhook_queue: Queue
    workflow_queue: Queue
    clock: Clock
    _sent: BoundedCache[int] = field(default_factory=lambda: BoundedCache(MAX_SENT))
    """Deliveries that this process has sent, with their counters: `delivery_1 3`."""

    def sweep(self) -> SweepCounts:
        """Send due messages. An extra message is harmless: the row's counter shows that it is stale."""
        now_ms = self.clock.now_ms()
        tasks = self._send_due(self.tasks, self.task_queue, now_ms, RESEND_WAITING_AFTER_MS)
        deliveries = self._send_due(self.deliveries, self.webhook_queue, now_ms, RESEND_AFTER_MS)
        # Holds need no message: due holds are resolved here, by a write that is harmless the second time.
        holds = self.ledger.expire_holds(now_ms, MAX_DUE_PER_SHARD)
        responses = self.responses.end(now_ms, MAX_DUE_PER_SHARD)
        is_late = self._is_late(deliveries, now_ms)
        return SweepCounts(len(tasks), len(deliveries), holds, responses, is_late)

    def _is_late(self, due: list[Due], now_ms: int) -> bool:
        """Return whether one of these rows was sent a while ago and has not moved since."""
        names = [f"{row.row_id} {row.seq}" for row in due]
        found = any(now_ms - self._sent.get(name, now_ms) >= RESEND_AFTER_MS for name in names)
        for name in names:
            if name not in self._sent:
                self._sent[name] = now_ms
        return found

    def _send_due(self, index: DueIndex, queue: Queue, now_ms: int, unmoved_again_ms: int) -> list[Due]:
        """Send the due rows of one table, and return them.

        `unmoved_again_ms` is for rows that no step has moved yet.
        """
        due = index.due(now_ms, MAX_DUE_PER_SHARD)
        flows = [row for row in due if is_workflow(row.row_id)]
        # Sent first, postponed after: after a crash in between the message is sent twice rather than never.
        queue.send_all([{index.key: row.row_id, "seq": row.seq} for row in due if row not in flows])
        self.workflow_queue.send_all([{"workflow_id": row.row_id} for row in flows])
        for row in due:
            # The step may be faster than this write, which is fine.
            with suppress(StaleDueRowError):
                index.postpone(row, now_ms + (RESEND_AFTER_MS if row.seq else unmoved_again_ms))
        return due
