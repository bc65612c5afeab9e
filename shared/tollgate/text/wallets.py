"""Moves an account's money between its rows, for text: the share of one wallet, or all of it."""

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


@dataclass(frozen=True, slots=True)
class Wallets:
    """The rows of accounts that have several. Every method raises `DatabaseError`."""

    db: AsyncDatabase
    accounts_table: str

    async def fund(self, row_id: str, wallets: int, needed_micro_usd: int) -> None:
        """Fund a wallet with its share of the money in the account's main row, if it still needs some."""
        if not is_wallet(row_id):
            return
        keys = [{"account_id": one} for one in (account_of(row_id), row_id)]
        own, wallet = [await self.db.get(self.accounts_table, key) or {} for key in keys]
        share = share_of(own.get("balance_micro_usd", 0), wallets, needed_micro_usd)
        if share and wallet.get("balance_micro_usd", 0) < needed_micro_usd:
            with suppress(StaleWalletsError):
                await self.db.transact(
                    WalletWrites(self.accounts_table).fund(row_id, share, needed_micro_usd)
                )

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
