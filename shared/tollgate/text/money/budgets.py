"""The budgets of accounts, for text: reads them, and moves a budget's money between its rows."""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.ledger.budget_rows import definitions_key, left_of, routing_key, rows_of, rows_to_fund
from tollgate.ledger.budget_writes import BudgetWrites, StaleSharesError
from tollgate.ledger.budgets import Applied, BudgetShortError, KnownBudgets, Spender, Use, share_of
from tollgate.routing.wishes import Wishes
from tollgate.text.money.wallets import wait_for_others


@dataclass(frozen=True, slots=True)
class TextBudgets:
    """The budgets that this process knows. Methods that call the database raise `DatabaseError`."""

    db: AsyncDatabase
    writes: BudgetWrites
    clock: Clock
    known: KnownBudgets = field(default_factory=KnownBudgets)

    def applied(self, account_id: str, spender: Spender) -> Applied:
        """Return the known budgets of an account, with each budget that counts a request."""
        return self.known.get(account_id).applied(spender, self.clock.now_ms())

    def routing(self, account_id: str) -> Wishes:
        """Return the known routing policy of an account."""
        return self.known.get(account_id).routing

    async def load(self, account_id: str) -> None:
        """Read an account's budgets again, after a write showed that they have changed."""
        keys = (definitions_key(account_id), routing_key(account_id))
        self.known.put(account_id, *await self.db.get_together(self.writes.table, keys))

    async def fund(self, account_id: str, short: BudgetShortError, wallets: int) -> bool:
        """Fund a wallet's row of a budget from the main row; return whether it may have enough now."""
        table, (main_key, own_key) = self.writes.table, rows_to_fund(account_id, short)
        main = await self.db.get(table, main_key) or {}
        share = share_of(left_of(short.use, {0: main}), wallets, short.needed_micro_usd)
        if not share:
            return False
        await wait_for_others()
        own = await self.db.get(table, own_key) or {}
        if left_of(short.use, {short.wallet: own}) < short.needed_micro_usd:
            moves = self.writes.fund(account_id, short.use, short.wallet, share, short.needed_micro_usd)
            # If another process funded the row, or spent from the main row, the next attempt shows it.
            with suppress(StaleSharesError, BudgetShortError):
                await self.db.transact(moves)
        return True

    async def gather(self, account_id: str, use: Use, wallets: int) -> int:
        """Bring a budget's money to its main row; return how much all rows had left at one moment."""
        rows = await self.db.get_together(self.writes.table, rows_of(account_id, use, wallets))
        if moves := self.writes.gather(account_id, use, rows):
            # If others spend or move it meanwhile, the next attempt shows it.
            with suppress(StaleSharesError):
                await self.db.transact(moves)
        return left_of(use, dict(enumerate(rows)))
