"""The laws of reserved money, on a database with physics and lost answers, in simulated time."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.account import MODEL
from tests.conftest import Aws
from tests.support.laws import money_examples
from tests.support.losses import Losses
from tests.support.simulated import SimulatedLoop
from tests.unit.ledger.test_budget_rules import ALICE, Treasury, budget
from tests.unit.ledger.test_holds import NOW, Account
from tests.unit.ledger.test_wallets import DEMAND, HOLD, SEEDS, carried_out, within_a_second
from tests.unit.text.samples import choosing
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.kit.dynamodb.core import DatabaseBusyError, WriteConflictError
from tollgate.kit.dynamodb.expressions import Remove
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import MarkedWrite, Write
from tollgate.kit.errors import ConcurrencyLimitedError, StorageBusyError, UserNotFoundError
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import NO_BUDGETS
from tollgate.ledger.entries import Entry, charge_entry, refund_of
from tollgate.ledger.errors import (
    AccountSuspendedError,
    BudgetReachedError,
    InsufficientBalanceError,
    QuoteEndedError,
    QuoteExhaustedError,
    QuoteNotFoundError,
)
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS, Hold, HoldRefusedError, all_holds_of
from tollgate.ledger.reservations import (
    RESERVED_MS,
    Reservation,
    ReservationShortError,
    draw,
    pay_from,
    take_share,
)
from tollgate.ledger.suspension import resume, suspend
from tollgate.tasks.charges import Purchase

KEY = ApiKey("key_1", "", "", ALL_SCOPES, 0, listed=True)


class QuoteBank(Treasury):
    """A `Treasury` with a quote, from which text requests take their holds."""

    quote_id = ""
    reservation: Reservation | None = None

    async def reserve(self, requests: int) -> bool:
        """Reserve the money of so many requests; return whether it was covered."""
        self.quote_id = new_id("quo")
        ends_at_ms = self.clock.now_ms() + RESERVED_MS
        key = replace(KEY, account_id=self.account_id)
        spender = key.spender(ALICE)

        def together(placed: Purchase, row_id: str) -> list[Write]:
            assert placed.hold is not None
            self.reservation = Reservation(
                self.quote_id, row_id, KEY.key_id, ends_at_ms, spender.attribution, None, placed.hold.budgets
            )
            row = {
                "account_id": self.account_id,
                "item": self.quote_id,
                "key_id": KEY.key_id,
                "reservation": self.reservation.to_item(),
            }
            return [Write("BudgetsTable", item=row)]

        hold = Hold(self.quote_id, requests * HOLD, ends_at_ms)
        wanted = Purchase(self.account_id, self.clock.now_ms(), [], [], hold)
        try:
            await self.threads.run(lambda: self.service.buy(wanted, together, None, spender))
        except (InsufficientBalanceError, BudgetReachedError, StorageBusyError, WriteConflictError) as exc:
            self.became[type(exc).__name__] += 1
            self.reservation = None
        return self.reservation is not None

    async def quoted(self, seconds: float, dies_at: str | None = None) -> None:
        """Make a text request of the quote, whose process may die at a step."""
        billing = self.random.choice(self.processes)
        key = replace(KEY, account_id=self.account_id)
        try:
            placed = await billing.draw(
                self.quote_id, key, new_id("req"), choosing(DEMAND, MODEL), lifetime_ms=HOLD_LIFETIME_MS
            )
        except (QuoteExhaustedError, QuoteEndedError, QuoteNotFoundError, DatabaseBusyError) as exc:
            self.became[type(exc).__name__] += 1
            return
        self.became["drawn"] += 1
        await asyncio.sleep(seconds)
        if dies_at == "void":
            await billing.void(placed)
        else:
            await self.settled(billing, placed, dies_at)

    async def step(self, seconds: float, *, fails: bool) -> None:
        """Start a step of a workflow, whose charge is drawn like a hold, and end its task."""
        try:
            paid = await self.threads.run(self._paid)
        except (ReservationShortError, StorageBusyError, WriteConflictError) as exc:
            self.became[type(exc).__name__] += 1
            return
        self.became["drawn"] += 1
        await asyncio.sleep(seconds)
        for _ in range(20):
            with suppress(StorageBusyError, WriteConflictError):
                await self.threads.run(lambda: self._close(paid, fails=fails))
                return

    def _paid(self) -> Entry:
        reservation = self.reservation
        if reservation is None:
            raise ReservationShortError("none")
        task_id, now_ms = new_id("task"), self.clock.now_ms()
        charge = charge_entry(self.account_id, task_id, "z-image", HOLD, now_ms, budgets=reservation.budgets)
        self.blocking.transact(self.ledger.pay(reservation, charge))
        return charge

    def _close(self, charge: Entry, *, fails: bool) -> None:
        assert self.reservation is not None
        refund = refund_of(charge, self.clock.now_ms()) if fails else None
        self.blocking.transact(self.ledger.close_task(self.reservation.row_id, refund, was_running=False))

    async def release(self) -> None:
        """Cancel the quote."""
        for _ in range(10):
            if self.reservation is None or await self.threads.run(self._release):
                return

    def _release(self) -> bool:
        assert self.reservation is not None
        try:
            return self.ledger.release(self.reservation)
        except StorageBusyError:
            return False


@settings(max_examples=money_examples(25), deadline=None)
@given(
    seed=SEEDS,
    money=st.integers(0, 40),
    covered=st.integers(0, 40),
    reserved=st.integers(1, 20),
    texts=st.lists(st.sampled_from([None, None, "place", "void", "paid", "refunded"]), max_size=30),
    wallets=st.sampled_from([1, 5]),
    lost=st.sampled_from([0.0, 0.02, 0.05]),
    ends=st.sampled_from(["cancelled", "expired"]),
)
def test_the_books_agree_whoever_dies_whatever_gets_lost_and_however_it_ends(
    seed: int,
    money: int,
    covered: int,
    reserved: int,
    texts: list[str | None],
    wallets: int,
    lost: float,
    ends: str,
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = QuoteBank(loop, seed, money * HOLD, wallets)
        await bank.open()
        await bank.define(budget("users", "user", covered * HOLD), budget("all", "account", 10**9))
        bank.dynamo.losses = Losses(lost, seed)
        is_reserved = await bank.reserve(reserved)
        # Nothing that fits is refused, and nothing above it is reserved.
        if not bank.became["StorageBusyError"] and not bank.became["WriteConflictError"]:
            assert is_reserved == (reserved <= min(money, covered))
        works = [
            bank.step(bank.random.random() * 3, fails=each == "refunded")
            if each in ("paid", "refunded")
            else bank.quoted(bank.random.random() * 3, each)
            for each in texts
        ]
        others = [bank.text_of(ALICE, bank.random.random()) for _ in range(4)]
        await within_a_second(bank, [*works, *others, *([bank.release()] if ends == "cancelled" else [])])
        assert await bank.threads.run(bank.proven)
        assert bank.least == 0
        assert bank.became["drawn"] <= (reserved if is_reserved else 0)
        # What the dead left behind is resolved by what the ledger says of it, and the rest is returned.
        await asyncio.sleep(max(RESERVED_MS, EMPTY_LIFETIME_MS) / 1_000 + 1)
        for _ in range(2):
            await bank.threads.run(lambda: bank.ledger.expire_holds(bank.clock.now_ms(), 100))
            await asyncio.sleep(HOLD_LIFETIME_MS / 1_000 + 1)
        assert sum(row["holds"] for row in bank.rows()) == 0
        assert await bank.threads.run(bank.proven)
        assert bank.total() == sum(entry.amount_micro_usd for entry in await bank.threads.run(bank.entries))
        assert +bank.counted() == +await bank.threads.run(bank.due)

    carried_out(story)


@settings(max_examples=money_examples(15), deadline=None)
@given(seed=SEEDS, reserved=st.integers(1, 12), more=st.integers(0, 8), wallets=st.sampled_from([1, 5]))
def test_exactly_as_many_requests_are_served_as_were_reserved(
    seed: int, reserved: int, more: int, wallets: int
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        # The rest of the account is empty, so that only reserved money can pay.
        bank = QuoteBank(loop, seed, reserved * HOLD, wallets)
        await bank.open()
        assert await bank.reserve(reserved)
        await within_a_second(bank, [bank.quoted(30) for _ in range(reserved + more)])
        assert (bank.became["drawn"], bank.became["QuoteExhaustedError"]) == (reserved, more)

    carried_out(story)


class TestShares:
    """What requests take from 700 of 1 000 micro-USD that a quote has reserved."""

    @pytest.fixture
    def account(self, aws: Aws) -> Account:
        account = Account(aws, 1000)
        account.place("quo_1", 700)
        no_timer = (Remove("wake_at"), Remove("due_shard"))
        account.db.write(
            Write(account.writes.accounts_table, key={"account_id": account.id}, update=no_timer)
        )
        return account

    @pytest.fixture
    def reservation(self, account: Account) -> Reservation:
        return Reservation("quo_1", account.id, "key_1", NOW + HOLD_LIFETIME_MS, Attribution())

    def row(self, account: Account) -> Item:
        found = account.db.get(account.writes.accounts_table, {"account_id": account.id})
        assert found is not None
        return found

    def timer(self, account: Account) -> list[Any]:
        return [self.row(account)[name] for name in ("wake_at", "due_shard")]

    def left(self, account: Account) -> dict[str, int]:
        """Return the money that each hold has."""
        return {hold.request_id: hold.amount_micro_usd for hold in all_holds_of(self.row(account))}

    def test_of_a_request_that_was_answered_is_taken_once(
        self, account: Account, reservation: Reservation
    ) -> None:
        table = account.writes.accounts_table
        take = take_share(table, reservation, reservation.share("req_1", 450, NOW + 9))
        for _ in range(2):
            account.db.write(take)
        assert self.left(account) == {"quo_1": 250, "req_1": 450}
        assert self.timer(account) == [NOW + 9, due_shard(account.id)]
        with pytest.raises(ReservationShortError):
            account.db.write(take_share(table, reservation, reservation.share("req_2", 251, NOW + 9)))
        account.db.write(take_share(table, reservation, reservation.share("req_2", 250, NOW + 9)))
        assert (self.left(account), account.balance()) == ({"quo_1": 0, "req_1": 450, "req_2": 250}, 300)

    def test_of_a_task_is_refused_by_its_reason(self, account: Account, reservation: Reservation) -> None:
        def pay(amount: int, most: int = 2, quote: Reservation = reservation) -> None:
            account.db.transact([pay_from(account.writes.accounts_table, quote, amount, most)])

        with pytest.raises(ReservationShortError):
            pay(701)
        pay(600)
        pay(99)
        with pytest.raises(ConcurrencyLimitedError, match="2 open tasks"):
            pay(1)
        with pytest.raises(ReservationShortError):
            pay(2)
        with pytest.raises(ReservationShortError):
            pay(1, 9, replace(reservation, quote_id="quo_2"))
        with pytest.raises(UserNotFoundError):
            pay(1, 9, replace(reservation, row_id="usr_2"))
        account.db.write(suspend(account.writes.accounts_table, account.id, "chargeback", NOW))
        with pytest.raises(AccountSuspendedError):
            pay(1, 9)
        account.db.write(resume(account.writes.accounts_table, account.id))
        pay(1, 9)
        assert (self.left(account), self.row(account)["open_tasks"]) == ({"quo_1": 0}, 3)

    def test_of_a_request_counts_it_and_leaves_room_for_no_more_than_may_run(
        self, account: Account, reservation: Reservation
    ) -> None:
        def drawn(request_id: str, amount: int, most: int = 3) -> MarkedWrite:
            window = account.meter.guess(account.id, NOW)
            share = reservation.share(request_id, amount, NOW + 9)
            return draw(account.writes, reservation, share, window, most=most, budgets=NO_BUDGETS)

        counted = self.row(account)["request_rate"]
        for most, amount in ((1, 1), (3, 701)):
            with pytest.raises(HoldRefusedError):
                account.db.write(drawn("req_1", amount, most))
        account.db.write(drawn("req_1", 700, 2))
        assert self.left(account) == {"quo_1": 0, "req_1": 700}
        assert self.timer(account) == [NOW + 9, due_shard(account.id)]
        assert self.row(account)["request_rate"] == counted + 1

    def test_a_reservation_is_stored(self) -> None:
        labels = Attribution("alice", {"team": "search"}, "prj_1", "tok_1")
        more: list[dict[str, Any]] = [{}, {"counter": "spent#key_1#2026", "budgets": ("bud_1#2026#0#all",)}]
        for each in more:
            reservation = Reservation("quo_1", "usr_1#w01", "key_1", NOW, labels, **each)
            assert Reservation.from_item("quo_1", reservation.to_item()) == reservation
            assert reservation.share("req_1", 5, 9) == Hold("req_1", 5, 9, **each)
