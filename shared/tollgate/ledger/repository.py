"""The balance and its ledger in DynamoDB: charges of media, refunds, credits and debits.

A movement is always two writes of one transaction: the account's new balance and the ledger row that
explains it. So `balance + Σ open holds = Σ ledger entries` holds after every transaction
(docs/architecture.md#money).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, AtLeast, AtMost, Below, Change, Condition, Size
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, count_one
from tollgate.kit.errors import UserNotFoundError
from tollgate.kit.money import cents_down, cents_up
from tollgate.kit.observability import emit, logger
from tollgate.ledger.budget_writes import BudgetWrites
from tollgate.ledger.budgets import Applied
from tollgate.ledger.caps import (
    Allowance,
    AlreadyOpenError,
    add_spend,
    counters_of,
    open_period,
    release_spend,
)
from tollgate.ledger.charge_refusals import Wanted, charge_refused
from tollgate.ledger.crediting import credit_writes, post, raise_balance
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.expiry import HoldExpiry
from tollgate.ledger.families import close_markup, open_markup
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import MAX_HOLDS, AlreadyResolvedError, Hold, all_holds_of
from tollgate.ledger.rate import RateWindow, count_request
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.reservations import Reservation, pay_from, reserved_in, reserving
from tollgate.ledger.suspension import MAY_SPEND, check_may_spend, resume, suspend
from tollgate.ledger.wallets import DEFAULT, Limits, lower_balance, row_ids

# Tasks of one account that have not ended (site/limits.md).
MAX_OPEN_TASKS = 10_000
# Tasks of one account that providers work on at once; the others wait their turn (site/limits.md).
MAX_RUNNING_TASKS = 100
# Tries of one debit: its money may be in wallets, and other requests move it meanwhile.
MAX_DEBITS = 6


class ConcurrencyLimitReachedError(Exception):
    """The account has as many tasks running as it may."""


class CounterUnderflowError(Exception):
    """An ended task is not among its account's open tasks: the counter is wrong; nothing was written."""

    def __init__(self, account_id: str, open_tasks: int | None) -> None:
        super().__init__(f"{account_id} has {open_tasks} open tasks, and one more ends")
        self.account_id = account_id


class Slots(NamedTuple):
    """A row's tasks: how many more may run now, how many do not run yet, how many may run."""

    free: int
    waiting: int
    most: int


class LedgerRepository(LedgerReader):
    """Builds the writes that move money, and carries out those of credits and debits."""

    def __init__(self, db: Database, accounts_table: str, ledger_table: str, budgets_table: str = "") -> None:
        super().__init__(db, accounts_table, ledger_table)
        self._holds = HoldWrites(accounts_table, ledger_table, budgets_table)
        self._budgets = BudgetWrites(budgets_table)
        self.expire_holds = HoldExpiry(db, self._holds).expire

    def open_counter(self, account_id: str, allowance: Allowance, now_ms: int) -> None:
        """Start the counter of a spending cap's period, if there is none. Raises `KeyLimitReachedError`."""
        account = self._db.get(self._accounts_table, {"account_id": account_id}) or {}
        counters = counters_of(account)
        if allowance.left(counters) is None:
            # Another request of the key has opened it, which is fine.
            with suppress(AlreadyOpenError):
                self._db.write(open_period(self._accounts_table, account_id, allowance, counters, now_ms))

    def charge(
        self,
        account_id: str,
        entries: Sequence[Entry],
        window: RateWindow,
        allowance: Allowance | None,
        *,
        applied: Applied,
        hold: Hold | None = None,
        at_ms: int = 0,
        row_id: str | None = None,
        limits: Limits = DEFAULT,
    ) -> list[TransactWrite]:
        """Return the writes that take the money of one request: the charges of its tasks, and its `hold`.

        `entries` has the charge of each task, and `hold` is a quote's (`reservations.py`), placed at `at_ms`.
        The writes also count the tasks as open and the request as one, in the account's main row or in a
        wallet, by its `row_id`, with these `limits`. With the `allowance` of a key that has a spending cap,
        its counter must be open. The budgets in `applied` count the sum. Refusals: `UserNotFoundError`,
        `InsufficientBalanceError`, `SpendingCapReachedError`, `ConcurrencyLimitedError`, `RateLimitedError`,
        `RateWindowMismatchError`, `StaleBudgetsError`, `BudgetShortError`, `AlreadyPostedError`.
        """
        held = 0 if hold is None else hold.amount_micro_usd
        amount, tasks = held - sum(entry.amount_micro_usd for entry in entries), len(entries)
        row = row_id or account_id
        # Never negative: the write that lowers the balance checks it.
        balance_covers_it = AtLeast("balance_micro_usd", amount)
        # Each task in flight costs us work; see MAX_OPEN_TASKS.
        most, most_holds = limits.open_tasks or MAX_OPEN_TASKS, limits.text_at_once or MAX_HOLDS
        has_room: Condition = AtMost("open_tasks", most - tasks)
        reserves: tuple[Change, ...] = ()
        if hold is not None:
            has_room &= Below(Size("holds"), most_holds)
            reserves = reserving(hold, row, at_ms)
        debit = CountingWrite(
            self._accounts_table,
            key={"account_id": row},
            update=(Add("balance_micro_usd", -amount), Add("open_tasks", tasks), *reserves),
            condition=balance_covers_it & has_room & MAY_SPEND & applied.budgets.is_current(),
            refused=charge_refused(
                Wanted(amount, tasks, most, None if hold is None else most_holds),
                window,
                allowance,
                applied.budgets,
            ),
            foresees=applied.budgets.foresees_stale if applied.uses else None,
        )
        debit = add_spend(count_request(debit, window), allowance, amount)
        debit = open_markup(debit, sum(entry.markup_micro_usd or 0 for entry in entries))
        counted = [self._budgets.take(account_id, use, amount, wallet) for use, wallet in applied.counted]
        posts = [post(self._ledger_table, entry) for entry in entries]
        return [debit, *counted, *posts]

    def pay(self, reservation: Reservation, entry: Entry, limits: Limits = DEFAULT) -> list[TransactWrite]:
        """Return the writes that take the charge of a task from a reservation, and count the task as open.

        The budgets and the cap have counted it with the reservation. Refusals: as of `pay_from`, and
        `AlreadyPostedError`.
        """
        most = limits.open_tasks or MAX_OPEN_TASKS
        paid = pay_from(self._accounts_table, reservation, -entry.amount_micro_usd, most)
        return [paid, post(self._ledger_table, entry)]

    def release(self, reservation: Reservation) -> bool:
        """Return the rest of a reservation to the balance; return whether nothing is left of it now.

        It is not, if a request has taken its hold from it meanwhile.
        """
        row_id = reservation.row_id
        hold = self.reserved(reservation)
        if hold is None:
            return True
        returned = self._holds.returned_to_budgets(row_id, hold, 0)
        try:
            self._db.transact([self._holds.resolve(row_id, hold, 0), *returned])
        except AlreadyResolvedError:
            return False
        return True

    def reserved(self, reservation: Reservation) -> Hold | None:
        """Return the hold of a reservation with its present amount, or `None` if it has ended."""
        row = self._db.get(self._accounts_table, {"account_id": reservation.row_id})
        return reserved_in(all_holds_of(row or {}), reservation.quote_id)

    def request_end(self, account_id: str, request_id: str) -> None:
        """Ask a running text request to end. Raises `AlreadyResolvedError` if it has no hold."""
        for row in self.wallets.rows(account_id):
            with suppress(AlreadyResolvedError):
                self._db.write(self._holds.request_end(row["account_id"], request_id))
                return
        raise AlreadyResolvedError(request_id)

    def slots(self, row_id: str) -> Slots:
        """Return the slots of a row's tasks; the row is the account's own or a wallet's.

        Raises `UserNotFoundError`.
        """
        account = self._db.get(self._accounts_table, {"account_id": row_id})
        if account is None:
            raise UserNotFoundError
        # The row has no such count before the account's first task runs.
        running = account.get("running_tasks", 0)
        most = Limits.of(account).running_tasks or MAX_RUNNING_TASKS
        return Slots(most - running, account["open_tasks"] - running, most)

    def acquire_slot(self, row_id: str, most: int = MAX_RUNNING_TASKS) -> CountingWrite:
        """Return the write that counts a task as running if fewer than `most` are.

        Refused with `ConcurrencyLimitReachedError`.
        """
        return count_one(
            self._accounts_table,
            {"account_id": row_id},
            "running_tasks",
            most=most,
            start=0,
            refused=lambda _: ConcurrencyLimitReachedError(),
        )

    def close_task(
        self,
        row_id: str,
        refund: Entry | None,
        *,
        was_running: bool,
        markup_micro_usd: int = 0,
        now_ms: int = 0,
    ) -> list[TransactWrite]:
        """Return the writes that count a task as ended and, with `refund`, return its charge, in the row that
        counted it. The mark-up of a task with a result is earned.

        Refused: `UserNotFoundError`, `AlreadyPostedError`; and `CounterUnderflowError`, which is our fault.
        """
        amount = refund.amount_micro_usd if refund else 0
        # A running task was counted as running when it started; a waiting task never was.
        slot = (Add("running_tasks", -1, start=1),) if was_running else ()
        # The create counted this task, and it was not counted as ended since.
        was_counted = AtLeast("open_tasks", 1)
        close = CountingWrite(
            self._accounts_table,
            key={"account_id": row_id},
            update=(Add("balance_micro_usd", amount), Add("open_tasks", -1), *slot),
            condition=was_counted,
            refused=lambda account: _close_refused(row_id, account),
        )
        close = close_markup(close, row_id, markup_micro_usd, now_ms, earned=refund is None)
        if refund is None:
            return [close]
        return [
            release_spend(close, refund.counter, amount),
            *self._returned(refund),
            post(self._ledger_table, refund),
        ]

    def refund_ended(self, refund: Entry) -> list[TransactWrite]:
        """Return the writes that return the charge of a task that was closed before, without a refund.

        Its mark-up was earned, and stays so. Refused: `UserNotFoundError`, `AccountClosedError`,
        `AlreadyPostedError`.
        """
        refund = replace(refund, markup_micro_usd=None)
        raised = raise_balance(self._accounts_table, refund)
        counted = release_spend(raised, refund.counter, refund.amount_micro_usd)
        return [post(self._ledger_table, refund), counted, *self._returned(refund)]

    def _returned(self, refund: Entry) -> Sequence[TransactWrite]:
        """Return the writes that return a refund to the budgets that counted its charge."""
        return self._budgets.give(refund.account_id, refund.budgets or (), refund.amount_micro_usd)

    def credit(self, entry: Entry, *others: TransactWrite) -> None:
        """Put money on an account, once per entry id, together with other writes.

        Raises `UserNotFoundError`, `AccountClosedError`, or `AlreadyPostedError` when the entry was posted
        before.
        """
        if entry.kind is not EntryKind.CREDIT or entry.amount_micro_usd < 0:
            raise ValueError(f"not a credit: {entry}")
        # Both or neither: without its entry a balance fails the daily proof, without the balance an entry
        # stands for money that the customer never got.
        self._db.transact([*credit_writes(self._accounts_table, self._ledger_table, entry), *others])

    def debit(self, entry: Entry, *others: TransactWrite) -> None:
        """Take money off an account, once per entry id and never more than its balance, with other writes.

        Raises `UserNotFoundError`, `InsufficientBalanceError`, or `AlreadyPostedError` when the entry was
        posted before.
        """
        if entry.kind is not EntryKind.DEBIT or entry.amount_micro_usd >= 0:
            raise ValueError(f"not a debit: {entry}")
        amount = -entry.amount_micro_usd
        debit = lower_balance(
            self._accounts_table,
            entry.account_id,
            amount,
            lambda account: _debit_refused(amount, account),
        )
        for _ in range(MAX_DEBITS):
            try:
                # The entry first: a repeated debit is refused as a repeat, no matter what the balance is.
                self._db.transact([post(self._ledger_table, entry), debit, *others])
            except InsufficientBalanceError:
                self.wallets.gather(entry.account_id, self.wallets.limits(entry.account_id).wallets, amount)
            else:
                return
        raise WriteConflictError

    def suspend(
        self, account_id: str, reason: str, now_ms: int, *others: TransactWrite, replace_reason: bool = True
    ) -> None:
        """Stop an account from starting anything new, together with other writes.

        Raises `UserNotFoundError`, and `AccountSuspendedError` if it is suspended, unless
        `replace_reason` is set.
        """
        writes = self.suspension(account_id, reason, now_ms, replace_reason=replace_reason)
        self._db.transact([*writes, *others])

    def suspension(self, account_id: str, reason: str, now_ms: int, *, replace_reason: bool) -> list[Write]:
        """Return the writes that suspend an account, for another transaction.

        Raises `UserNotFoundError`. Refused: the same, and `AccountSuspendedError` if it is suspended,
        unless `replace_reason` is set.
        """
        table, rows = self._accounts_table, self._row_ids(account_id)
        return [suspend(table, row, reason, now_ms, replace_reason=replace_reason) for row in rows]

    def resume(self, account_id: str, *others: TransactWrite, only_reason: str | None = None) -> None:
        """End an account's suspension, together with other writes.

        Raises `UserNotFoundError`, and `AccountSuspendedError` for a reason other than `only_reason`.
        """
        writes = [resume(self._accounts_table, row, only_reason) for row in self._row_ids(account_id)]
        self._db.transact([*writes, *others])

    def may_spend(self, account_id: str) -> Write:
        """Return a write for a transaction that is to succeed only while the account may spend.

        Refused: `UserNotFoundError`, `AccountSuspendedError`.
        """
        return check_may_spend(self._accounts_table, account_id)

    def _row_ids(self, account_id: str) -> list[str]:
        return row_ids(account_id, self.wallets.limits(account_id).wallets)


def _close_refused(account_id: str, account: Item | None) -> Exception:
    if account is None:
        return UserNotFoundError()
    logger.error("ledger.counter_underflow", account_id=account_id, open_tasks=account.get("open_tasks"))
    emit({"CounterUnderflows": 1})
    return CounterUnderflowError(account_id, account.get("open_tasks"))


def _debit_refused(amount_micro_usd: int, account: Item | None) -> Exception:
    if account is None:
        return UserNotFoundError()
    return InsufficientBalanceError(cents_down(account["balance_micro_usd"]), cents_up(amount_micro_usd))
