"""The laws of reserved money, on a database with physics and lost answers, in simulated time."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.account import MODEL
from tests.support.laws import money_examples
from tests.support.losses import Losses
from tests.support.simulated import SimulatedLoop
from tests.unit.ledger.test_budget_rules import ALICE, Treasury, budget
from tests.unit.ledger.test_wallets import DEMAND, HOLD, SEEDS, carried_out, within_a_second
from tests.unit.text.samples import choosing
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.kit.dynamodb.core import DatabaseBusyError, WriteConflictError
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import Entry, charge_entry, refund_of
from tollgate.ledger.errors import (
    BudgetReachedError,
    InsufficientBalanceError,
    QuoteEndedError,
    QuoteExhaustedError,
    QuoteNotFoundError,
)
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS, Hold
from tollgate.ledger.reservations import RESERVED_MS, Reservation, ReservationShortError
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
