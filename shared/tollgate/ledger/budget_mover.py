"""The budgets of accounts, for media: reads them, and moves a budget's money between its rows.

`text/budgets.py` does the same without blocking.
"""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.kit.dynamodb.database import Database
from tollgate.ledger.budgets import (
    Applied,
    BudgetShortError,
    BudgetWrites,
    KnownBudgets,
    Spender,
    StaleSharesError,
    definitions_key,
    routing_key,
    rows_of,
)
from tollgate.routing.wishes import Wishes


@dataclass(frozen=True, slots=True)
class BudgetMover:
    """The budgets that this process knows."""

    db: Database
    writes: BudgetWrites
    known: KnownBudgets = field(default_factory=KnownBudgets)

    def applied(self, account_id: str, spender: Spender, now_ms: int) -> Applied:
        """Return the known budgets of an account, with each budget that counts a request."""
        return self.known.get(account_id).applied(spender, now_ms)

    def routing(self, account_id: str) -> Wishes:
        """Return the known routing policy of an account."""
        return self.known.get(account_id).routing

    def load(self, account_id: str) -> None:
        """Read an account's budgets again, after a write showed that they have changed."""
        keys = (definitions_key(account_id), routing_key(account_id))
        self.known.put(account_id, *self.db.get_together(self.writes.table, keys))

    def gather(self, account_id: str, short: BudgetShortError, wallets: int) -> bool:
        """Bring a budget's money to its main row; return whether that may have more than was seen.

        `False` says that at one moment no other row had any, nor the main row more: that is all there is.
        """
        rows = self.db.get_together(self.writes.table, rows_of(account_id, short.use, wallets))
        moves, has_more = self.writes.gather(account_id, short, rows)
        if moves:
            with suppress(StaleSharesError):
                self.db.transact(moves)
        return has_more
