"""The rows of accounts that have several: read together, opened, and money moved between them."""

from contextlib import suppress

from tollgate.kit.dynamodb import Database
from tollgate.kit.errors import InsufficientBalanceError, UserNotFoundError
from tollgate.kit.money import cents_down, cents_up
from tollgate.kit.rows import Item
from tollgate.ledger.wallets import (
    Limits,
    WalletsMovedError,
    WalletWrites,
    account_of,
    is_wallet,
    row_ids,
    share_of,
    total,
)


class WalletRepository:
    """Reads and writes wallets; `text/wallets.py` does for text what `fund` and `gather` do here."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table
        self._writes = WalletWrites(table)

    def rows(self, account_id: str) -> list[Item]:
        """Return an account's rows as they were at one moment, its own first; none for no account."""
        own = self._db.get(self._table, {"account_id": account_id})
        return [] if own is None else self.rows_of(own)

    def rows_of(self, own: Item) -> list[Item]:
        """Return the rows of an account whose own row was read, as they were at one moment."""
        wallets = own.get("wallets", 1)
        return [own] if wallets == 1 else self._read(own["account_id"], wallets)

    def limits(self, account_id: str) -> Limits:
        """Return the limits of each of an account's rows. Raises `UserNotFoundError`."""
        own = self._db.get(self._table, {"account_id": account_id})
        if own is None:
            raise UserNotFoundError
        return Limits.of(own)

    def set_limits(self, account_id: str, limits: Limits) -> None:
        """Set an account's limits, and make as many rows as they say, which become never less.

        Raises `UserNotFoundError`, and `ValueError` for fewer rows than there are.
        """
        own = self._db.get(self._table, {"account_id": account_id})
        if own is None:
            raise UserNotFoundError
        had = Limits.of(own).wallets
        if limits.wallets < had:
            raise ValueError(f"the account has {had} rows, and keeps them")
        share = limits.share()
        for row in row_ids(account_id, limits.wallets)[had:]:
            with suppress(WalletsMovedError):  # by an earlier try
                self._db.write(self._writes.open(row, share, own))
        # The own row comes last: who reads of wallets finds them.
        for row in reversed(row_ids(account_id, limits.wallets)):
            self._db.write(self._writes.limit(row, share))

    def fund(self, row: str, wallets: int, needed_micro_usd: int) -> bool:
        """Fund a wallet from the account's own row; return whether it may have enough now."""
        if not is_wallet(row):
            return False
        own = self._db.get(self._table, {"account_id": account_of(row)})
        share = 0 if own is None else share_of(own["balance_micro_usd"], wallets, needed_micro_usd)
        if not share:
            return False
        # Where somebody else funded it, or spent from the own row, the next try tells.
        with suppress(WalletsMovedError):
            self._db.transact(self._writes.fund(row, share, needed_micro_usd))
        return True

    def gather(self, account_id: str, wallets: int, needed_micro_usd: int) -> None:
        """Bring all money to the account's own row, as far as nobody moves it meanwhile.

        Raises `InsufficientBalanceError` where all rows together had less than what is needed, at one moment.
        """
        rows = self._read(account_id, wallets)
        if (has := total(rows)) < needed_micro_usd:
            raise InsufficientBalanceError(cents_down(has), cents_up(needed_micro_usd))
        if writes := self._writes.gather(rows):
            with suppress(WalletsMovedError):
                self._db.transact(writes)

    def _read(self, account_id: str, wallets: int) -> list[Item]:
        keys = [{"account_id": row} for row in row_ids(account_id, wallets)]
        return self._db.get_together(self._table, keys)
