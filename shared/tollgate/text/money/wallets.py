"""Moves an account's money between its rows, for text: the share of one wallet, or all of it."""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass

from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.ledger.wallets import (
    StaleWalletsError,
    WalletWrites,
    account_of,
    is_wallet,
    row_ids,
    share_of,
)

# Random delay before an empty row is funded. So a single request of many does it for all.
MAX_FUND_WAIT_S = 0.1


async def wait_for_others() -> None:
    """Wait a little, because another request may fund the same row."""
    await asyncio.sleep(random.uniform(0, MAX_FUND_WAIT_S))  # noqa: S311 - not a secret


@dataclass(frozen=True, slots=True)
class Wallets:
    """The rows of accounts that have several. Every method raises `DatabaseError`."""

    db: AsyncDatabase
    accounts_table: str

    async def fund(self, row_id: str, wallets: int, needed_micro_usd: int) -> bool:
        """Fund a wallet from the account's main row; return whether it may have enough now."""
        if not is_wallet(row_id):
            return False
        main = await self.db.get(self.accounts_table, {"account_id": account_of(row_id)}) or {}
        share = share_of(main.get("balance_micro_usd", 0), wallets, needed_micro_usd)
        if not share:
            return False
        await wait_for_others()
        own = await self.db.get(self.accounts_table, {"account_id": row_id}) or {}
        if own.get("balance_micro_usd", 0) < needed_micro_usd:
            moves = WalletWrites(self.accounts_table).fund(row_id, share, needed_micro_usd)
            # If another process funded the wallet, or spent from the main row, the next attempt shows it.
            with suppress(StaleWalletsError):
                await self.db.transact(moves)
        return True

    async def gather(self, account_id: str, wallets: int, seen_micro_usd: int) -> bool:
        """Bring all money to the account's main row; return whether that may have more than was seen.

        `False` says that at one moment no wallet had anything, nor the main row more: that is all there is.
        """
        if wallets == 1:
            return False
        keys = [{"account_id": row} for row in row_ids(account_id, wallets)]
        rows = await self.db.get_together(self.accounts_table, keys)
        writes = WalletWrites(self.accounts_table).gather(rows)
        if not writes:
            return bool(rows[0]["balance_micro_usd"] > seen_micro_usd)
        with suppress(StaleWalletsError):
            await self.db.transact(writes)
        return True
