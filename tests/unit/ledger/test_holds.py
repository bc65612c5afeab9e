"""Holds: at most one way out each, and the law of the ledger after every move."""

from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Aws
from tests.support.laws import money_examples
from tests.unit.kit.dynamodb.test_dynamodb_core import PATIENCE, Run, cancelled
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.core import Answer
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Set
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger import suspension
from tollgate.ledger.audit import audit
from tollgate.ledger.budgets import NO_BUDGETS, Budgets, StaleBudgetsError
from tollgate.ledger.caps import Allowance
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.ledger.expiry import HoldExpiry
from tollgate.ledger.families import MOVED_AT
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites, place_refused
from tollgate.ledger.holds import (
    HOLD_LIFETIME_MS,
    MAX_HOLDS,
    AlreadyRecordedError,
    AlreadyResolvedError,
    Hold,
    HoldRefusedError,
    is_end_requested,
)
from tollgate.ledger.rate import RateMeter, RateWindow
from tollgate.ledger.wallets import EARNED, Limits

NOW = 1_700_000_000_000


@pytest.mark.parametrize("allowance", [None, Allowance("cap#key_1", 10, NOW)], ids=["no cap", "cap"])
def test_a_hold_under_old_budgets_is_refused_without_its_turn(allowance: Allowance | None) -> None:
    place = HoldWrites("Accounts", "Ledger", "Budgets").place(
        "usr_1",
        Hold("req_1", 5, NOW, budgets=("bud_1#month",)),
        RateWindow(1, True, 600),
        allowance,
        budgets=Budgets(seq=1),
    )
    collision = Run(cancelled("TransactionConflict"), Answer({"Item": to_attributes({"budget_seq": 2})}))
    with pytest.raises(StaleBudgetsError):
        collision.of(core.transact([place], PATIENCE))
    assert len(collision.sent) == 2


class Account:
    """An account with the moves of a hold, on moto."""

    def __init__(self, aws: Aws, balance: int) -> None:
        self.db = Database(aws.clients.dynamodb)
        self.writes = HoldWrites(aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"])
        self.id = api_parts.api().accounts.open(balance).account_id
        self.ledger = run_task_parts.step_runner().ledger
        self.meter = RateMeter(600)

    def place(self, request_id: str, amount: int, expires_at_ms: int = NOW + HOLD_LIFETIME_MS) -> Hold:
        hold = Hold(request_id, amount, expires_at_ms)
        window = self.meter.guess(self.id, NOW)
        self.db.write(self.writes.place(self.id, hold, window, None, budgets=NO_BUDGETS))
        self.meter.counted(self.id, window)
        return hold

    def record(self, hold: Hold, charge: int) -> None:
        entry = text_entry(self.id, hold.request_id, model="m", charge_micro_usd=charge, usage={}, now_ms=NOW)
        self.db.write(self.writes.record(entry))

    def resolve(self, hold: Hold, charge: int) -> None:
        self.db.write(self.writes.resolve(self.id, hold, charge))

    def balance(self) -> int:
        return api_parts.api().accounts.me(self.id).balance_micro_usd

    def wake_at(self) -> int | None:
        row = self.db.get(self.writes.accounts_table, {"account_id": self.id})
        return None if row is None else row.get("wake_at")

    def books_agree(self) -> bool:
        found = api_parts.api().accounts.me(self.id)
        entries = self.ledger.entries(self.id)
        return audit(self.id, found.balance_micro_usd, entries, found.holds) is None


@pytest.fixture
def account(aws: Aws) -> Account:
    """Return an account with 1 000 micro-USD."""
    return Account(aws, 1000)


class TestMoves:
    def test_placing_takes_the_money_and_settling_returns_the_rest(self, account: Account) -> None:
        hold = account.place("req_1", 700)
        assert account.balance() == 300
        account.record(hold, 250)
        assert account.books_agree()
        account.resolve(hold, 250)
        assert account.balance() == 750
        assert account.books_agree()

    def test_a_hold_has_one_way_out(self, account: Account) -> None:
        hold = account.place("req_1", 700)
        account.resolve(hold, 0)
        with pytest.raises(AlreadyResolvedError):
            account.resolve(hold, 0)
        assert account.balance() == 1000

    def test_a_request_is_billed_once(self, account: Account) -> None:
        hold = account.place("req_1", 700)
        account.record(hold, 100)
        account.record(hold, 100)
        with pytest.raises(AlreadyRecordedError):
            account.record(hold, 99)

    @pytest.mark.parametrize("charge", [-1, 701])
    def test_a_charge_stays_within_its_hold(self, account: Account, charge: int) -> None:
        hold = account.place("req_1", 700)
        with pytest.raises(ValueError, match="not within the hold"):
            account.resolve(hold, charge)

    def test_more_than_the_balance_is_refused_with_what_is_there(self, account: Account) -> None:
        account.place("req_1", 700)
        with pytest.raises(HoldRefusedError) as refused:
            account.place("req_2", 301)
        assert refused.value.balance_micro_usd == 300
        assert refused.value.held_micro_usd == 700
        assert not refused.value.too_many
        account.place("req_2", 300)
        assert account.balance() == 0

    def test_the_hundred_and_first_at_once_is_refused_for_their_number(self, account: Account) -> None:
        for n in range(MAX_HOLDS):
            account.place(f"req_{n}", 1)
        with pytest.raises(HoldRefusedError) as refused:
            account.place("req_more", 1)
        assert refused.value.too_many

    def test_a_refusal_has_the_limits_of_the_row(self, account: Account) -> None:
        limits = Limits(text_at_once=3)
        row = {"balance_micro_usd": 5, "holds": {}, "limits": limits.to_item()}
        found = place_refused(row, account.meter.guess(account.id, NOW), most=0)
        assert isinstance(found, HoldRefusedError)
        assert (found.limits, found.too_many, found.balance_micro_usd) == (limits, True, 5)

    def test_the_sweeper_resolves_what_is_over_and_keeps_its_timer_for_the_rest(
        self, account: Account
    ) -> None:
        dead, billed = account.place("req_1", 100, NOW), account.place("req_2", 200, NOW + 1)
        account.place("req_3", 300, NOW + 50)
        account.record(billed, 150)
        assert account.ledger.expire_holds(NOW + 1, 10) == 2
        assert account.wake_at() == NOW + 50
        assert account.balance() == 1000 - 150 - 300
        assert account.ledger.expire_holds(NOW + 1, 10) == 0
        assert account.ledger.expire_holds(NOW + 50, 10) == 1
        assert account.wake_at() is None
        assert account.balance() == 850
        assert account.books_agree()
        with pytest.raises(AlreadyResolvedError):
            account.resolve(dead, 0)

    def test_a_sweep_resolves_the_holds_of_a_bounded_number_of_accounts(self, aws: Aws) -> None:
        accounts = [Account(aws, 1000) for _ in range(3)]
        for each in accounts:
            each.place("req_1", 100, NOW)
            same_shard = (Set("due_shard", "0"),)
            each.db.write(Write(each.writes.accounts_table, key={"account_id": each.id}, update=same_shard))
        assert [accounts[0].ledger.expire_holds(NOW, 2) for _ in range(3)] == [2, 1, 0]

    def test_a_request_that_is_asked_to_end_is_marked_until_a_sweep_after_it(self, account: Account) -> None:
        def marked() -> list[bool]:
            row = account.db.get(account.writes.accounts_table, {"account_id": account.id})
            return [is_end_requested(row or {}, each) for each in ("req_1", "req_2")]

        account.place("req_1", 100, NOW)
        account.place("req_2", 100, NOW + 50)
        account.ledger.request_end(account.id, "req_1")
        assert marked() == [True, False]
        account.ledger.request_end(account.id, "req_2")
        assert [account.ledger.expire_holds(now, 10) for now in (NOW, NOW + 50)] == [1, 1]
        assert marked() == [False, True]
        with pytest.raises(AlreadyResolvedError):
            account.ledger.request_end(account.id, "req_1")


moves = st.lists(
    st.tuples(
        st.sampled_from(["place", "record", "settle", "void", "expire"]),
        st.integers(0, 3),
        st.integers(0, 600),
    ),
    max_size=14,
)


class TestLaw:
    @settings(max_examples=money_examples(25), suppress_health_check=list(HealthCheck), database=None)
    @given(moves)
    def test_whatever_moves_happen_the_books_agree_and_nothing_is_negative(
        self, aws: Aws, sequence: list[tuple[str, int, int]]
    ) -> None:
        account = Account(aws, 1000)
        holds: dict[int, Hold] = {}
        recorded: dict[int, int] = {}
        clock_ms = NOW
        for n, (move, slot, amount) in enumerate(sequence):
            clock_ms += 1
            hold = holds.get(slot)
            if move == "place" and hold is None:
                try:
                    holds[slot] = account.place(f"req_{n}", amount, clock_ms + 3)
                except HoldRefusedError:
                    continue
            elif move == "record" and hold is not None and slot not in recorded:
                recorded[slot] = min(amount, hold.amount_micro_usd)
                account.record(hold, recorded[slot])
            elif move in ("settle", "void") and hold is not None:
                account.resolve(hold, recorded.pop(slot, 0))
                del holds[slot]
            elif move == "expire":
                account.ledger.expire_holds(clock_ms, 10)
                for over in [s for s, one in holds.items() if one.expires_at_ms <= clock_ms]:
                    del holds[over]
                    recorded.pop(over, None)
            assert account.balance() >= 0
            assert account.books_agree()


class TestOfBefore:
    @pytest.mark.parametrize("counter", [{}, {"counter": {"S": "cap#1"}}], ids=["plain", "counted"])
    def test_a_hold_of_the_version_before_is_seen_and_given_back_when_it_expires(
        self, aws: Aws, account: Account, counter: dict[str, Any]
    ) -> None:
        """A deployment finds holds of requests that run on in the old processes, and of some that died."""
        held = {"M": {"amount": {"N": "700"}, "expires_at": {"N": str(NOW)}, **counter}}
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": account.id}},
            UpdateExpression="SET holds.#id = :hold, balance_micro_usd = :left, "
            "wake_at = :end, due_shard = :shard",
            ExpressionAttributeNames={"#id": "req_1"},
            ExpressionAttributeValues={
                ":hold": held,
                ":left": {"N": "300"},
                ":end": {"N": str(NOW)},
                ":shard": {"S": due_shard(account.id)},
            },
        )
        shown = api_parts.api().accounts.me(account.id)
        assert [(hold.request_id, hold.amount_micro_usd) for hold in shown.holds] == [("req_1", 700)]
        assert account.ledger.expire_holds(NOW + 1, 10) == 1
        assert account.balance() == 1000
        assert account.books_agree()
        assert api_parts.api().accounts.me(account.id).holds == ()


class TestSuspension:
    def test_no_hold_is_placed_and_one_that_is_there_is_settled(self, account: Account) -> None:
        hold = account.place("req_1", 700)
        suspend = suspension.suspend(account.writes.accounts_table, account.id, "chargeback", NOW)
        account.db.write(suspend)
        with pytest.raises(AccountSuspendedError):
            account.place("req_2", 100)
        account.record(hold, 250)
        account.resolve(hold, 250)
        assert account.balance() == 750
        assert account.books_agree()
        account.db.write(suspension.resume(account.writes.accounts_table, account.id))
        account.place("req_2", 100)


def test_mark_up_that_is_not_due_yet_waits_for_a_later_sweep(aws: Aws) -> None:
    account = Account(aws, 100)
    timer = (Set("wake_at", NOW), Set("due_shard", due_shard(account.id)))
    earned = (Set(EARNED, 5), Set(MOVED_AT, NOW), *timer)
    account.db.write(Write(account.writes.accounts_table, key={"account_id": account.id}, update=earned))
    assert HoldExpiry(account.db, account.writes).expire(NOW, 10) == 0
    assert account.wake_at() == NOW + HOLD_LIFETIME_MS


class TestTheTimer:
    @pytest.mark.parametrize("found", ["its own", "usr_gone"])
    def test_a_row_of_an_index_that_is_behind_is_left(
        self, account: Account, monkeypatch: pytest.MonkeyPatch, found: str
    ) -> None:
        row = {"account_id": account.id if found == "its own" else found}
        monkeypatch.setattr(account.db, "query", lambda *_, **__: iter([row]))
        assert HoldExpiry(account.db, account.writes).expire(NOW, 10) == 0
        assert account.db.get(account.writes.accounts_table, {"account_id": "usr_gone"}) is None

    @pytest.mark.parametrize(
        ("meanwhile", "is_kept"),
        [
            ((), False),
            ((Set("wake_at", NOW + 1),), True),
            ((Set(("holds", "req_2"), {}),), True),
            ((Set(EARNED, 5),), True),
            ((Set(EARNED, 0),), False),
        ],
        ids=["nothing", "another sweep", "a hold", "mark-up", "moved mark-up"],
    )
    def test_it_goes_only_if_nothing_came_since_the_row_was_read(
        self, account: Account, meanwhile: tuple[Set, ...], is_kept: bool
    ) -> None:
        table, key = account.writes.accounts_table, {"account_id": account.id}
        account.db.write(Write(table, key=key, update=(Set("wake_at", NOW), Set("due_shard", "0"))))
        found = account.db.get(table, key)
        assert found is not None
        if meanwhile:
            account.db.write(Write(table, key=key, update=meanwhile))
        with pytest.raises(AlreadyResolvedError) if is_kept else nullcontext():
            account.db.write(account.writes.set_next_expiry(account.id, found, None))
        row = account.db.get(table, key) or {}
        assert {"wake_at", "due_shard"} & row.keys() == ({"wake_at", "due_shard"} if is_kept else set())
