"""The balance and its ledger in DynamoDB. Every change of a balance is made by a write from this file.

A movement is always two writes of one transaction: the account's new balance and the ledger row that
explains it. So `balance + Σ open holds = Σ ledger entries` holds after every transaction (design §3).
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from tollgate.kit.dynamodb import Database
from tollgate.kit.errors import ConcurrencyLimitedError, InsufficientBalanceError, UserNotFoundError
from tollgate.kit.money import cents_down, cents_up
from tollgate.kit.rows import Item
from tollgate.kit.shards import DUE_SHARDS
from tollgate.kit.writes import Write
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import AlreadyResolvedError, HoldWrites, charge_of, holds_of, text_entry_id

MAX_OPEN_TASKS = 10_000
"""Tasks of one account that have not ended (design §6, limits)."""


class AlreadyPostedError(Exception):
    """This entry is in the ledger already: the movement was made before."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"ledger entry {entry_id} is posted already")
        self.entry_id = entry_id


class LedgerRepository:
    """Builds the writes that move money, and reads the ledger."""

    def __init__(self, db: Database, accounts_table: str, ledger_table: str) -> None:
        self._db = db
        self._accounts_table = accounts_table
        self._ledger_table = ledger_table
        self._holds = HoldWrites(accounts_table, ledger_table)

    def charge(self, entry: Entry) -> list[Write]:
        """Give the writes that take a task's charge and count the task as open.

        Refusals: `UserNotFoundError`, `InsufficientBalanceError`, `ConcurrencyLimitedError`,
        `AlreadyPostedError`.
        """
        amount = -entry.amount_micro_usd
        # Never negative: the balance that is left is checked by the write that lowers it.
        balance_covers_it = "balance_micro_usd >= :amount"
        # Each task in flight costs us work; see MAX_OPEN_TASKS.
        has_room = "open_tasks < :max_open"
        debit = Write(
            self._accounts_table,
            key={"account_id": entry.account_id},
            update="SET balance_micro_usd = balance_micro_usd - :amount, open_tasks = open_tasks + :one",
            condition=f"{balance_covers_it} AND {has_room}",
            values={":amount": amount, ":one": 1, ":max_open": MAX_OPEN_TASKS},
            refused=_charge_refused(amount),
        )
        return [debit, self._post(entry)]

    def close_task(self, account_id: str, refund: Entry | None) -> list[Write]:
        """Give the writes that count a task as ended and, with `refund`, return its charge."""
        amount = refund.amount_micro_usd if refund else 0
        close = Write(
            self._accounts_table,
            key={"account_id": account_id},
            update="SET balance_micro_usd = balance_micro_usd + :amount, open_tasks = open_tasks - :one",
            # A task of an account was counted when it was made, so the account and the count are there.
            condition="open_tasks >= :one",
            values={":amount": amount, ":one": 1},
            refused=lambda _: UserNotFoundError(),
        )
        return [close] if refund is None else [close, self._post(refund)]

    def credit(self, entry: Entry) -> None:
        """Put money on an account, once per entry id.

        Raises `UserNotFoundError`, or `AlreadyPostedError` when the entry was posted before.
        """
        if entry.kind is not EntryKind.CREDIT or entry.amount_micro_usd < 0:
            raise ValueError(f"not a credit: {entry}")
        raise_balance = Write(
            self._accounts_table,
            key={"account_id": entry.account_id},
            update="SET balance_micro_usd = balance_micro_usd + :amount",
            condition="attribute_exists(account_id)",
            values={":amount": entry.amount_micro_usd},
            refused=lambda _: UserNotFoundError(),
        )
        self._db.transact([self._post(entry), raise_balance])

    def expire_holds(self, now_ms: int, limit: int) -> int:
        """Resolve the holds whose time is over, of at most `limit` accounts a shard; give how many.

        A hold whose request was recorded is settled by that row, any other is given back whole.
        """
        return sum(
            self._expire_holds_of(row["account_id"], now_ms)
            for shard in range(DUE_SHARDS)
            for row in self._db.query(
                self._accounts_table,
                "due_shard = :shard AND wake_at <= :now",
                {":shard": str(shard), ":now": now_ms},
                index="DueIndex",
                limit=limit,
            )
        )

    def _expire_holds_of(self, account_id: str, now_ms: int) -> int:
        account = self._db.get(self._accounts_table, {"account_id": account_id})
        if account is None or "wake_at" not in account:
            return 0
        holds = holds_of(account)
        expired = [hold for hold in holds if hold.expires_at_ms <= now_ms]
        for hold in expired:
            key = {"account_id": account_id, "entry_id": text_entry_id(hold.request_id)}
            charge = charge_of(self._db.get(self._ledger_table, key))
            # The request itself, or a later one of the account, may have been quicker.
            with suppress(AlreadyResolvedError):
                self._db.write(self._holds.resolve(account_id, hold, charge))
        left = [hold.expires_at_ms for hold in holds if hold.expires_at_ms > now_ms]
        with suppress(AlreadyResolvedError):
            self._db.write(self._holds.rearm(account_id, account["wake_at"], min(left, default=None)))
        return len(expired)

    def entries(self, account_id: str) -> Iterator[Entry]:
        """Give all entries of an account, in the order of their ids."""
        rows = self._db.query(self._ledger_table, "account_id = :account", {":account": account_id})
        return (Entry.from_item(row) for row in rows)

    def _post(self, entry: Entry) -> Write:
        return Write(
            self._ledger_table,
            item=entry.to_item(),
            # The id says what the entry is for, so a second one would be the same money twice.
            condition="attribute_not_exists(entry_id)",
            refused=lambda _: AlreadyPostedError(entry.entry_id),
        )


def _charge_refused(amount_micro_usd: int) -> Callable[[Item | None], Exception]:
    def refused(account: Item | None) -> Exception:
        if account is None:
            return UserNotFoundError()
        balance = account["balance_micro_usd"]
        if balance < amount_micro_usd:
            return InsufficientBalanceError(cents_down(balance), cents_up(amount_micro_usd))
        return ConcurrencyLimitedError(
            f"This account has {account['open_tasks']} open tasks, the most allowed is {MAX_OPEN_TASKS}."
        )

    return refused
