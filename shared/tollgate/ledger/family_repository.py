"""Money between an account and its sub-accounts, in DynamoDB (`families.py`)."""

from collections.abc import Sequence
from contextlib import suppress

from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, Exists, Missing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_new, with_changes
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.entries import Entry
from tollgate.ledger.errors import InsufficientBalanceError, SubaccountClosedError
from tollgate.ledger.families import (
    FamilyWrites,
    StaleMarkupError,
    Transfer,
    TransferShortError,
    move_due_ms,
)
from tollgate.ledger.suspension import MAY_SPEND, suspended_refusal
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import EARNED, account_of, lower_balance, merged_rows

# Attempts at one transfer: the payer's money may be in wallets, and other requests move it meanwhile.
MAX_TRANSFERS = 6


class AlreadyTransferredError(Exception):
    """Money moved under this key before; `entry` is the parent's entry of that transfer."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"{entry.entry_id} is in the ledger")
        self.entry = entry


class FamilyRepository:
    """Moves money between a parent and its sub-accounts. Every act can be repeated."""

    def __init__(self, db: Database, accounts_table: str, ledger_table: str) -> None:
        self._db = db
        self._accounts_table = accounts_table
        self._ledger_table = ledger_table
        self._writes = FamilyWrites(accounts_table, ledger_table)
        self.wallets = WalletRepository(db, accounts_table)

    def transfer(self, transfer: Transfer, now_ms: int, *others: TransactWrite) -> None:
        """Move money once per key, together with other writes, never more than the payer's free balance.

        A suspended parent pays nothing. Raises `AlreadyTransferredError`, `InsufficientBalanceError`,
        `UserNotFoundError`, `AccountSuspendedError`, `SubaccountClosedError`.
        """
        amount = abs(transfer.amount_micro_usd)
        # The entries first, so that a repeat is found before the balances are checked.
        entries = map(self._post, transfer.entries(now_ms))
        writes = [*entries, self._pay(transfer, amount), self._get(transfer, amount)]
        for _ in range(MAX_TRANSFERS):
            try:
                self._db.transact([*writes, *others])
            except TransferShortError as short:
                self._gather(transfer, short.row.get("wallets", 1), amount)
            else:
                return
        raise WriteConflictError

    def _gather(self, transfer: Transfer, wallets: int, amount: int) -> None:
        try:
            self.wallets.gather(transfer.payer, wallets, amount)
        except InsufficientBalanceError as exc:
            if transfer.payer == transfer.parent:
                raise
            raise InsufficientBalanceError(exc.balance_cents, exc.required_cents, is_taken_back=True) from exc

    def rows_of(self, account_ids: Sequence[str]) -> dict[str, Item]:
        """Return the rows of at most 100 accounts by id, each with the money of its wallets."""
        rows = self._db.get_all(self._accounts_table, [{"account_id": each} for each in account_ids])
        return {row["account_id"]: merged_rows(self.wallets.all_rows(row)) for row in rows}

    def move_markup(self, row: Item, now_ms: int, *, all_of_it: bool = False) -> int:
        """Move the mark-up that a row of a child has earned to its parent, if it is due; return the amount.

        `row` was just read. If another process moves it at the same time, nothing happens here.
        """
        due_ms = move_due_ms(row)
        if due_ms is None or (now_ms < due_ms and not all_of_it):
            return 0
        with suppress(StaleMarkupError):
            self._db.transact(self._writes.move(row, account_of(row["account_id"]), now_ms))
            return int(row[EARNED])
        return 0

    def _pay(self, transfer: Transfer, amount: int) -> CountingWrite:
        def refused(row: Item | None) -> Exception:
            if row is None:
                return UserNotFoundError()
            suspended = suspended_refusal(row) if transfer.payer == transfer.parent else None
            return suspended or TransferShortError(row)

        pay = lower_balance(self._accounts_table, transfer.payer, amount, refused)
        return with_changes(pay, condition=MAY_SPEND) if transfer.payer == transfer.parent else pay

    def _get(self, transfer: Transfer, amount: int) -> CountingWrite:
        account_is_there, is_open = Exists("account_id"), Missing("closed_at_ms")
        return CountingWrite(
            self._accounts_table,
            key={"account_id": transfer.receiver},
            update=(Add("balance_micro_usd", amount),),
            condition=account_is_there & is_open,
            refused=lambda row: UserNotFoundError() if row is None else SubaccountClosedError(),
        )

    def _post(self, entry: Entry) -> Write:
        return put_new(self._ledger_table, entry.to_item(), "entry_id", _already_transferred)


def _already_transferred(row: Item | None) -> AlreadyTransferredError:
    return AlreadyTransferredError(Entry.from_item(row or {}))
