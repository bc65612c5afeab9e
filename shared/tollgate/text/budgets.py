"""The budgets of accounts, for text: reads them, and moves a budget's money between its rows."""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.ledger.budgets import (
    Applied,
    BudgetShortError,
    BudgetWrites,
    KnownBudgets,
    Spender,
    StaleSharesError,
    definitions_key,
    left_of,
    routing_key,
    rows_of,
    share_of,
)
from tollgate.routing.wishes import Wishes


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

    async def fund(self, account_id: str, short: BudgetShortError, wallets: int) -> None:
        """Move a share of a budget to the row beside a wallet, if that row still needs it."""
        if not short.wallet:
            return
        key = {"account_id": account_id, "item": short.use.item()}
        main = await self.db.get(self.writes.table, key) or {}
        share = share_of(left_of(short.use, {0: main}), wallets, short.needed_micro_usd)
        if share:
            moves = self.writes.fund(account_id, short.use, short.wallet, share, short.needed_micro_usd)
            with suppress(StaleSharesError, BudgetShortError):
                await self.db.transact(moves)

    async def gather(self, account_id: str, short: BudgetShortError, wallets: int) -> bool:
        """Bring a budget's money to its main row; return whether that may have more than was seen.

        `False` says that at one moment no other row had any, nor the main row more: that is all there is.
        """
        rows = await self.db.get_together(self.writes.table, rows_of(account_id, short.use, wallets))
        moves, has_more = self.writes.gather(account_id, short, rows)
        if moves:
            with suppress(StaleSharesError):
                await self.db.transact(moves)
        return has_more
