"""The writes that move money, against moto: both or neither, once, never below zero."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from moto import mock_aws

from tests.conftest import moto_client
from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository, AlreadyExistsError
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError, UserNotFoundError
from tollgate.ledger import repository
from tollgate.ledger.budgets import NOTHING_APPLIED
from tollgate.ledger.crediting import AccountClosedError, AlreadyPostedError
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.errors import (
    AccountSuspendedError,
    InsufficientBalanceError,
    RateLimitedError,
    SubaccountClosedError,
)
from tollgate.ledger.families import (
    MOVE_INTERVAL_MS,
    MOVED_AT,
    FamilyWrites,
    StaleMarkupError,
    Transfer,
)
from tollgate.ledger.family_repository import AlreadyTransferredError, FamilyRepository
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import (
    MAX_RUNNING_TASKS,
    ConcurrencyLimitReachedError,
    CounterUnderflowError,
    LedgerRepository,
    Slots,
)
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import (
    BUDGET_SEQ,
    EARNED,
    PARENT,
    Limits,
    StaleWalletsError,
    WalletWrites,
    total,
    wallet_row_id,
)

CENT = 10_000
NOW = 1_700_000_000_000
LIMIT = 600


class Books:
    """An account with 100 cents on it, and its ledger."""

    def __init__(self) -> None:
        client = moto_client("dynamodb")
        for table, keys in (("Accounts", ("account_id",)), ("Ledger", ("account_id", "entry_id"))):
            client.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
                KeySchema=[
                    {"AttributeName": key, "KeyType": kind}
                    for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
                ],
            )
        self.db = Database(client, sleep=lambda _: None)
        self.meter = RateMeter(LIMIT)
        self.accounts = AccountRepository(self.db, "Accounts")
        self.ledger = LedgerRepository(self.db, "Accounts", "Ledger")
        self.accounts.add(Account("usr_1", 0, 0, 1, ()))
        self.ledger.credit(self.credit("credit_1", 100 * CENT))

    def credit(self, entry_id: str, amount: int, account_id: str = "usr_1") -> Entry:
        return Entry(account_id, entry_id, EntryKind.CREDIT, amount, 1)

    def charge(self, task_id: str, amount: int, account_id: str = "usr_1") -> None:
        entry = charge_entry(account_id, task_id, "test-image", amount, 2)
        window = self.meter.guess(account_id, NOW)
        self.db.transact(self.ledger.charge(entry.account_id, [entry], window, None, applied=NOTHING_APPLIED))
        self.meter.counted(account_id, window)

    def refund(self, task_id: str, amount: int) -> None:
        refund = refund_of(charge_entry("usr_1", task_id, "test-image", amount, 3), 3)
        self.db.transact(self.ledger.close_task("usr_1", refund, was_running=False))

    def account(self) -> Account:
        account = self.accounts.get("usr_1")
        assert account is not None
        return account

    def state(self) -> tuple[int, int, list[tuple[str, int]]]:
        """Return balance in micro-USD, open tasks, and the ledger."""
        account = self.account()
        entries = [(entry.entry_id, entry.amount_micro_usd) for entry in self.ledger.entries("usr_1")]
        return account.balance_micro_usd, account.open_tasks, entries


@pytest.fixture
def books() -> Iterator[Books]:
    with mock_aws():
        yield Books()


CREDIT = ("credit_1", 100 * CENT)


class TestCharge:
    def test_balance_ledger_and_open_tasks_move_together(self, books: Books) -> None:
        books.charge("task_1", 30 * CENT)
        assert books.state() == (70 * CENT, 1, [CREDIT, ("task_1#charge", -30 * CENT)])

    def test_the_last_micro_dollar_can_be_spent(self, books: Books) -> None:
        books.charge("task_1", 100 * CENT)
        assert books.account().balance_micro_usd == 0

    def test_one_micro_dollar_short_is_refused_and_nothing_moves(self, books: Books) -> None:
        with pytest.raises(InsufficientBalanceError) as caught:
            books.charge("task_1", 100 * CENT + 1)
        # What is shown is rounded against the customer's hopes: 100 cents there, 101 needed.
        assert (caught.value.balance_cents, caught.value.required_cents) == (100, 101)
        assert books.state() == (100 * CENT, 0, [CREDIT])

    def test_the_same_task_is_charged_once(self, books: Books) -> None:
        books.charge("task_1", 30 * CENT)
        with pytest.raises(AlreadyPostedError, match="task_1#charge"):
            books.charge("task_1", 30 * CENT)
        assert books.state() == (70 * CENT, 1, [CREDIT, ("task_1#charge", -30 * CENT)])

    def test_an_unknown_account_is_refused(self, books: Books) -> None:
        with pytest.raises(UserNotFoundError):
            books.charge("task_1", CENT, account_id="usr_2")
        with pytest.raises(UserNotFoundError):
            books.ledger.slots("usr_2")

    def test_open_tasks_are_bounded(self, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(repository, "MAX_OPEN_TASKS", 2)
        books.charge("task_1", CENT)
        books.charge("task_2", CENT)
        with pytest.raises(ConcurrencyLimitedError, match="2 open tasks"):
            books.charge("task_3", CENT)
        books.refund("task_1", CENT)
        books.charge("task_3", CENT)
        assert books.account().open_tasks == 2

    def test_money_is_reserved_if_one_more_request_may_run(self, books: Books) -> None:
        def reserve(hold: Hold) -> None:
            window, limits = books.meter.guess("usr_1", NOW), Limits(text_at_once=1)
            books.db.transact(
                books.ledger.charge(
                    "usr_1",
                    [],
                    window,
                    hold=hold,
                    at_ms=NOW,
                    limits=limits,
                    allowance=None,
                    applied=NOTHING_APPLIED,
                )
            )
            books.meter.counted("usr_1", window)

        reserve(Hold("quo_1", 30 * CENT, NOW))
        with pytest.raises(ConcurrencyLimitedError, match="1 text requests running"):
            reserve(Hold("quo_2", CENT, NOW))
        assert books.state() == (70 * CENT, 0, [CREDIT])
        row = books.ledger.account_row("usr_1")
        assert row is not None
        assert (row["wake_at"], row["due_shard"]) == (NOW + HOLD_LIFETIME_MS, due_shard("usr_1"))

    def test_the_last_free_task_is_refused_only_for_the_rate(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MAX_OPEN_TASKS", 2)
        books.meter = RateMeter(1)
        books.charge("task_1", CENT)
        with pytest.raises(RateLimitedError):
            books.charge("task_2", CENT)

    def test_a_task_that_runs_takes_a_slot(self, books: Books) -> None:
        assert books.ledger.slots("usr_1") == Slots(MAX_RUNNING_TASKS, 0, MAX_RUNNING_TASKS)
        books.charge("task_1", CENT)
        books.charge("task_2", CENT)
        books.db.transact([books.ledger.acquire_slot("usr_1")])
        assert books.ledger.slots("usr_1") == Slots(MAX_RUNNING_TASKS - 1, 1, MAX_RUNNING_TASKS)

    def test_without_money_and_room_it_is_the_money_that_is_named(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MAX_OPEN_TASKS", 0)
        with pytest.raises(InsufficientBalanceError):
            books.charge("task_1", 101 * CENT)


class TestCloseTask:
    def test_a_refund_gives_the_charge_back_and_closes_the_task(self, books: Books) -> None:
        books.charge("task_1", 30 * CENT)
        books.refund("task_1", 30 * CENT)
        entries = [CREDIT, ("task_1#charge", -30 * CENT), ("task_1#refund", 30 * CENT)]
        assert books.state() == (100 * CENT, 0, entries)

    def test_it_is_given_back_once(self, books: Books) -> None:
        books.charge("task_1", 30 * CENT)
        books.charge("task_2", 30 * CENT)
        books.refund("task_1", 30 * CENT)
        with pytest.raises(AlreadyPostedError, match="task_1#refund"):
            books.refund("task_1", 30 * CENT)
        assert books.account().balance_micro_usd == 70 * CENT
        assert books.account().open_tasks == 1

    def test_a_finished_task_closes_without_money(self, books: Books) -> None:
        books.charge("task_1", 30 * CENT)
        books.db.transact(books.ledger.close_task("usr_1", None, was_running=False))
        assert books.state() == (70 * CENT, 0, [CREDIT, ("task_1#charge", -30 * CENT)])

    def test_one_more_than_was_counted_is_a_fault_of_ours_and_says_so(
        self, books: Books, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(CounterUnderflowError, match="usr_1 has 0 open tasks"):
            books.refund("task_1", 30 * CENT)
        assert books.state() == (100 * CENT, 0, [CREDIT])
        (line,) = [record for record in caplog.records if record.message == "ledger.counter_underflow"]
        assert (line.levelname, vars(line)["account_id"]) == ("ERROR", "usr_1")
        assert '"CounterUnderflows":[1.0]' in capsys.readouterr().out

    def test_of_an_unknown_account_it_says_that(self, books: Books) -> None:
        with pytest.raises(UserNotFoundError):
            books.db.transact(books.ledger.close_task("usr_2", None, was_running=False))

    def test_no_row_is_made_for_an_account_that_is_not_there(self, books: Books) -> None:
        with pytest.raises(ConcurrencyLimitReachedError):
            books.db.transact([books.ledger.acquire_slot("usr_2")])
        assert books.ledger.account_row("usr_2") is None


class TestCredit:
    def test_the_same_entry_is_posted_once(self, books: Books) -> None:
        with pytest.raises(AlreadyPostedError):
            books.ledger.credit(books.credit("credit_1", 100 * CENT))
        assert books.state() == (100 * CENT, 0, [CREDIT])

    def test_an_unknown_account_gets_nothing_and_no_entry(self, books: Books) -> None:
        with pytest.raises(UserNotFoundError):
            books.ledger.credit(books.credit("credit_2", CENT, account_id="usr_2"))
        assert list(books.ledger.entries("usr_2")) == []

    def test_a_closed_account_gets_nothing(self, books: Books) -> None:
        closed = (Set("closed_at_ms", 5),)
        books.db.write(Write("Accounts", key={"account_id": "usr_1"}, update=closed))
        with pytest.raises(AccountClosedError):
            books.ledger.credit(books.credit("credit_2", CENT))
        assert books.state() == (100 * CENT, 0, [CREDIT])

    @pytest.mark.parametrize(("kind", "amount"), [(EntryKind.CREDIT, -1), (EntryKind.REFUND, 1)])
    def test_only_a_credit_is_credited(self, books: Books, kind: EntryKind, amount: int) -> None:
        with pytest.raises(ValueError, match="not a credit"):
            books.ledger.credit(Entry("usr_1", "x", kind, amount, 1))


class TestAccounts:
    def test_an_account_starts_empty(self, books: Books) -> None:
        with pytest.raises(ValueError, match="starts empty"):
            books.accounts.add(Account("usr_2", 1, 0, 1, ()))

    def test_an_account_is_never_replaced(self, books: Books) -> None:
        with pytest.raises(AlreadyExistsError):
            books.accounts.add(Account("usr_1", 0, 0, 1, ()))
        assert books.account().balance_micro_usd == 100 * CENT


class TestDebit:
    def test_money_is_taken_once_and_is_in_the_ledger(self, books: Books) -> None:
        entry = Entry("usr_1", "debit_1", EntryKind.DEBIT, -30 * CENT, 4, reason="paid twice")
        books.ledger.debit(entry)
        with pytest.raises(AlreadyPostedError):
            books.ledger.debit(entry)
        assert books.state() == (70 * CENT, 0, [CREDIT, ("debit_1", -30 * CENT)])
        assert books.ledger.named("usr_1", ["debit_1"]) == [entry]

    def test_a_repeat_is_told_so_where_the_balance_is_gone(self, books: Books) -> None:
        entry = Entry("usr_1", "debit_1", EntryKind.DEBIT, -100 * CENT, 4)
        books.ledger.debit(entry)
        with pytest.raises(AlreadyPostedError):
            books.ledger.debit(entry)

    def test_of_an_unknown_account_it_says_that(self, books: Books) -> None:
        with pytest.raises(UserNotFoundError):
            books.ledger.debit(Entry("usr_2", "debit_1", EntryKind.DEBIT, -CENT, 4))

    def test_never_more_than_there_is(self, books: Books) -> None:
        with pytest.raises(InsufficientBalanceError):
            books.ledger.debit(Entry("usr_1", "debit_1", EntryKind.DEBIT, -100 * CENT - 1, 4))
        assert books.ledger.named("usr_1", ["debit_1"]) == []

    def test_money_that_keeps_moving_is_not_waited_for_without_end(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Other requests take what was gathered each time.
        monkeypatch.setattr(WalletRepository, "gather", lambda *_: None)
        books.accounts.add(Account("usr_2", 0, 0, 1, ()))
        families = FamilyRepository(books.db, "Accounts", "Ledger")
        with pytest.raises(WriteConflictError):
            books.ledger.debit(Entry("usr_1", "debit_1", EntryKind.DEBIT, -101 * CENT, 4))
        with pytest.raises(WriteConflictError):
            families.transfer(Transfer("usr_1", "usr_2", 101 * CENT, "key"), 4)
        assert books.state() == (100 * CENT, 0, [CREDIT])

    @pytest.mark.parametrize(
        ("kind", "amount"), [(EntryKind.DEBIT, 1), (EntryKind.DEBIT, 0), (EntryKind.CREDIT, -1)]
    )
    def test_only_a_debit_is_debited(self, books: Books, kind: EntryKind, amount: int) -> None:
        with pytest.raises(ValueError, match="not a debit"):
            books.ledger.debit(Entry("usr_1", "debit_1", kind, amount, 4))


class TestSuspension:
    def test_nothing_is_charged_until_it_goes_on(self, books: Books) -> None:
        books.ledger.suspend("usr_1", "chargeback", 5)
        row = books.ledger.account_row("usr_1")
        assert row is not None
        assert row["suspended"] == {"reason": "chargeback", "at_ms": 5}
        with pytest.raises(AccountSuspendedError):
            books.charge("task_1", CENT)
        assert books.state()[:2] == (100 * CENT, 0)
        books.ledger.resume("usr_1")
        books.charge("task_1", CENT)
        assert books.state()[:2] == (99 * CENT, 1)

    def test_an_account_is_asked_in_a_transaction_whether_it_may_spend(self, books: Books) -> None:
        before = books.ledger.account_row("usr_1")
        books.db.transact([books.ledger.may_spend("usr_1")])
        assert books.ledger.account_row("usr_1") == before
        books.ledger.suspend("usr_1", "chargeback", 5)
        with pytest.raises(AccountSuspendedError):
            books.db.transact([books.ledger.may_spend("usr_1")])
        with pytest.raises(UserNotFoundError):
            books.db.transact([books.ledger.may_spend("usr_2")])

    def test_what_runs_is_refunded_and_money_can_be_put_on_it(self, books: Books) -> None:
        books.charge("task_1", CENT)
        books.ledger.suspend("usr_1", "chargeback", 5)
        books.refund("task_1", CENT)
        books.ledger.credit(books.credit("credit_2", CENT))
        assert books.state()[:2] == (101 * CENT, 0)

    def test_an_unknown_account_gets_no_row(self, books: Books) -> None:
        with pytest.raises(UserNotFoundError):
            books.ledger.suspend("usr_2", "why", 5)
        with pytest.raises(UserNotFoundError):
            books.ledger.resume("usr_2")
        assert books.ledger.account_row("usr_2") is None


class TestWallets:
    def test_a_wallet_is_funded_from_the_main_row_which_is_none(self, books: Books) -> None:
        wallets = books.ledger.wallets
        wallets.set_limits("usr_1", Limits(text_at_once=200, wallets=2))
        assert not wallets.fund("usr_1", 2, CENT)
        assert not wallets.fund(wallet_row_id("usr_2", 1), 2, CENT)
        assert wallets.fund(wallet_row_id("usr_1", 1), 2, CENT)
        # Half of an equal share of 100 cents
        assert [row["balance_micro_usd"] for row in wallets.rows("usr_1")] == [75 * CENT, 25 * CENT]

    def test_one_that_another_process_has_opened_and_funded_keeps_its_money(self, books: Books) -> None:
        limits, (read,) = Limits(text_at_once=200, wallets=2), books.ledger.wallets.rows("usr_1")
        books.ledger.wallets.set_limits("usr_1", limits)
        books.ledger.wallets.fund(wallet := wallet_row_id("usr_1", 1), 2, CENT)
        with pytest.raises(StaleWalletsError):
            books.db.write(WalletWrites("Accounts").open(wallet, limits.share(), read))
        rows = books.ledger.wallets.rows("usr_1")
        assert [row["balance_micro_usd"] for row in rows] == [75 * CENT, 25 * CENT]
        # A process that read more money than there is now moves none.
        rows[1]["balance_micro_usd"] += 1
        with pytest.raises(StaleWalletsError):
            books.db.transact(WalletWrites("Accounts").gather(rows))
        assert total(books.ledger.wallets.rows("usr_1")) == 100 * CENT

    @pytest.mark.parametrize(("account_id", "read"), [("usr_gone", {}), ("usr_1", {BUDGET_SEQ: 7})])
    def test_limits_are_refused_for_a_row_that_is_gone_or_has_other_budgets(
        self, books: Books, account_id: str, read: Item
    ) -> None:
        with pytest.raises(StaleWalletsError):
            books.db.write(WalletWrites("Accounts").limit(account_id, Limits(text_at_once=7), read))
        assert books.ledger.account_row("usr_gone") is None


class TestTransfer:
    def test_only_an_open_account_gets_money(self, books: Books) -> None:
        families, moved = FamilyRepository(books.db, "Accounts", "Ledger"), Transfer("usr_1", "usr_2", 5, "k")
        for each in (moved, replace(moved, amount_micro_usd=-5)):
            with pytest.raises(UserNotFoundError):
                families.transfer(each, 4)
        books.accounts.add(Account("usr_2", 0, 0, 1, ()))
        key = {"account_id": "usr_2"}
        books.db.write(Write("Accounts", key=key, update=(Set("closed_at_ms", 5),)))
        with pytest.raises(SubaccountClosedError):
            families.transfer(moved, 4)
        assert books.state() == (100 * CENT, 0, [CREDIT])
        books.db.write(Write("Accounts", key=key, update=(Remove("closed_at_ms"),)))
        families.transfer(moved, 4)
        with pytest.raises(AlreadyTransferredError):
            families.transfer(moved, 4)
        assert books.account().balance_micro_usd == 100 * CENT - 5
        assert families.rows_of(["usr_2"])["usr_2"]["balance_micro_usd"] == 5

    def test_a_suspended_parent_pays_nothing_and_gets_money_back(self, books: Books) -> None:
        books.accounts.add(Account("usr_2", 0, 0, 1, ()))
        families = FamilyRepository(books.db, "Accounts", "Ledger")
        families.transfer(Transfer("usr_1", "usr_2", 5, "k"), 4)
        books.ledger.suspend("usr_1", "chargeback", 5)
        with pytest.raises(AccountSuspendedError):
            families.transfer(Transfer("usr_1", "usr_2", 5, "k2"), 4)
        families.transfer(Transfer("usr_1", "usr_2", -5, "k3"), 4)
        assert books.account().balance_micro_usd == 100 * CENT


def test_earned_mark_up_is_moved_once_even_if_two_processes_have_read_it(books: Books) -> None:
    key, moved = {"account_id": "usr_1"}, Set(MOVED_AT, NOW - MOVE_INTERVAL_MS)
    books.db.write(Write("Accounts", key=key, update=(Set(PARENT, "usr_2"), Set(EARNED, 5), moved)))
    families, row = FamilyRepository(books.db, "Accounts", "Ledger"), books.ledger.account_row("usr_1")
    assert row is not None
    # There is no row of the parent yet, so nothing is taken.
    assert families.move_markup(row, NOW) == 0
    books.accounts.add(Account("usr_2", 0, 0, 1, ()))
    assert [families.move_markup(row, now_ms) for now_ms in (NOW - 1, NOW, NOW)] == [0, 5, 0]
    assert families.rows_of(["usr_2"])["usr_2"]["balance_micro_usd"] == 5


def test_a_move_that_is_sent_again_is_refused_even_if_more_was_earned_meanwhile(books: Books) -> None:
    books.accounts.add(Account("usr_2", 0, 0, 1, ()))
    write = Write("Accounts", key={"account_id": "usr_1"}, update=(Set(PARENT, "usr_2"), Set(EARNED, 5)))
    books.db.write(write)
    row = books.ledger.account_row("usr_1")
    assert row is not None
    moves = FamilyWrites("Accounts", "Ledger").move(row, "usr_1", NOW)
    books.db.transact(moves)
    books.db.write(write)
    with pytest.raises(StaleMarkupError):
        books.db.transact(moves)
    parent = books.ledger.account_row("usr_2")
    assert parent is not None
    assert parent["balance_micro_usd"] == 5
