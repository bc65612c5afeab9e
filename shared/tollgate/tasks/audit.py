"""The proof that an account's count of waiting tasks agrees with its tasks (decision 0014)."""

from dataclasses import dataclass

from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.repository import MAX_OPEN_TASKS, LedgerRepository
from tollgate.tasks.repository import TaskRepository


@dataclass(frozen=True, slots=True)
class SlotCountAudit:
    """Compares counters with the WaitingIndex; changes nothing."""

    ledger: LedgerRepository
    tasks: TaskRepository

    def count_error(self, account_id: str) -> int:
        """Return how many more tasks are counted as waiting than wait, the same in two looks; 0 when well.

        An index lags behind its table, and tasks move between two reads: only an error stays the same.
        Raises `UserNotFoundError`.
        """
        first = self._look(account_id)
        return first if first and first == self._look(account_id) else 0

    def _look(self, account_id: str) -> int:
        rows = [row["account_id"] for row in self.ledger.wallets.rows(account_id)]
        if not rows:
            raise UserNotFoundError
        return sum(self._look_at(row) for row in rows)

    def _look_at(self, row_id: str) -> int:
        return self.ledger.slots(row_id).waiting - len(self.tasks.waiting(row_id, MAX_OPEN_TASKS + 1))
