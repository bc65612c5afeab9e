"""The rows of accounts with several rows: reads, opens and funds them."""

from contextlib import suppress

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import UserNotFoundError
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.wallets import (
    Limits,
    StaleWalletsError,
    WalletWrites,
    account_of,
    is_wallet,
    row_ids,
    share_of,
    total,
)


class WalletRepository:
    """Reads and writes wallets; for text, `text/money/wallets.py` does the work of `fund` and `gather`."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table
        self._writes = WalletWrites(table)

    def rows(self, account_id: str) -> list[Item]:
        """Return a consistent read of an account's rows, the main row first; empty if there is no account."""
        main_row = self._db.get(self._table, {"account_id": account_id})
        return [] if main_row is None else self.all_rows(main_row)

    def all_rows(self, main_row: Item) -> list[Item]:
        """Return a consistent read of all rows of an account; `main_row` was read before."""
        wallets = main_row.get("wallets", 1)
        return [main_row] if wallets == 1 else self._read(main_row["account_id"], wallets)

    def limits(self, account_id: str) -> Limits:
        """Return the limits of each of an account's rows. Raises `UserNotFoundError`."""
        main_row = self._db.get(self._table, {"account_id": account_id})
        if main_row is None:
            raise UserNotFoundError
        return Limits.of(main_row)

    def set_limits(self, account_id: str, limits: Limits) -> None:
        """Set an account's limits, and create the rows that they need; the number of rows never falls.

        Raises `UserNotFoundError`, `StaleWalletsError` if the account's budgets change meanwhile, and
        `ValueError` for fewer rows than there are.
        """
        main_row = self._db.get(self._table, {"account_id": account_id})
        if main_row is None:
            raise UserNotFoundError
        had = Limits.of(main_row).wallets
        if limits.wallets < had:
            raise ValueError(f"the account has {had} rows, and keeps them")
        share = limits.share()
        for row in row_ids(account_id, limits.wallets)[had:]:
            with suppress(StaleWalletsError):  # by an earlier try
                self._db.write(self._writes.open(row, share, main_row))
        # Write the main row last, so a reader that sees the wallet count also finds the wallets.
        for row in reversed(row_ids(account_id, limits.wallets)):
            self._db.write(self._writes.limit(row, share, main_row))

    def fund(self, row_id: str, wallets: int, needed_micro_usd: int) -> bool:
        """Fund a wallet from the account's main row; return whether it may have enough now."""
        if not is_wallet(row_id):
            return False
        main_row = self._db.get(self._table, {"account_id": account_of(row_id)})
        share = 0 if main_row is None else share_of(main_row["balance_micro_usd"], wallets, needed_micro_usd)
        if not share:
            return False
        # If another process funded the wallet, or spent from the main row, the next try shows it.
        with suppress(StaleWalletsError):
            self._db.transact(self._writes.fund(row_id, share, needed_micro_usd))
        return True

    def gather(self, account_id: str, wallets: int, needed_micro_usd: int) -> None:
        """Bring all money to the account's main row, except money that other requests move meanwhile.

        Raises `InsufficientBalanceError` if a consistent read of all rows shows less than needed.
        """
        rows = self._read(account_id, wallets)
        if (has := total(rows)) < needed_micro_usd:
            raise InsufficientBalanceError(cents_down(has), cents_up(needed_micro_usd))
        if writes := self._writes.gather(rows):
            with suppress(StaleWalletsError):
                self._db.transact(writes)

    def _read(self, account_id: str, wallets: int) -> list[Item]:
        keys = [{"account_id": row} for row in row_ids(account_id, wallets)]
        return self._db.get_together(self._table, keys)
