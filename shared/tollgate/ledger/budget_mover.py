"""The budgets of accounts, for media: reads them, and moves a budget's money between its rows.

`text/money/budgets.py` does the same without blocking.
"""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.kit.dynamodb.database import Database
from tollgate.ledger.budget_rows import definitions_key, left_of, routing_key, rows_of, rows_to_fund
from tollgate.ledger.budget_writes import BudgetWrites, StaleSharesError
from tollgate.ledger.budgets import Applied, BudgetShortError, KnownBudgets, Spender, Use, share_of
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

    def fund(self, account_id: str, short: BudgetShortError, wallets: int) -> bool:
        """Fund a wallet's row of a budget from the main row; return whether it may have enough now."""
        main = self.db.get(self.writes.table, rows_to_fund(account_id, short)[0]) or {}
        share = share_of(left_of(short.use, {0: main}), wallets, short.needed_micro_usd)
        if share:
            moves = self.writes.fund(account_id, short.use, short.wallet, share, short.needed_micro_usd)
            # If another process funded the row, or spent from the main row, the next attempt shows it.
            with suppress(StaleSharesError, BudgetShortError):
                self.db.transact(moves)
        return share > 0

    def gather(self, account_id: str, use: Use, wallets: int) -> int:
        """Bring a budget's money to its main row; return how much all rows had left at one moment."""
        rows = self.db.get_together(self.writes.table, rows_of(account_id, use, wallets))
        if moves := self.writes.gather(account_id, use, rows):
            # If others spend or move it meanwhile, the next attempt shows it.
            with suppress(StaleSharesError):
                self.db.transact(moves)
        return left_of(use, dict(enumerate(rows)))
