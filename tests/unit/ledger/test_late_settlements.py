"""A settlement and an expiry of one hold, in every order and with a kill at every step: the books agree.

Two parties may end one text request's hold: the request itself, which knows what was used, and whoever finds
the hold expired. Each does several writes, and either may die or be overtaken between any two of them.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from typing import Any, TypeVar, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tests.support.laws import money_examples
from tests.unit.text.samples import choosing, small_model
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.core import Written
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite
from tollgate.ledger.audit import audit
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.caps import Allowance, CapPeriod, SpendingCap
from tollgate.ledger.entries import Entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, MAX_RENEWALS
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import LedgerRepository
from tollgate.text.money import renewals
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import Demand
from tollgate.text.money.placed import Billed
from tollgate.text.usage import Usage

T = TypeVar("T")

MODEL = small_model()
DEMAND = Demand(200, 100)
USAGE = Usage(100, 10)
CHARGE = 100 * 1 + 10 * 2
BALANCE = 10_000
MAX_STEPS = 5
"""One more than any settlement or sweep of one hold takes."""


class KilledError(Exception):
    """The process was ended just before a step."""


class SteppedDatabase(Database):
    """moto; before its nth operation from now on something happens, or the process ends."""

    def __init__(self, aws: Aws) -> None:
        super().__init__(aws.clients.dynamodb, sleep=lambda _: None)
        self.steps = 0
        self.before: Callable[[int], object] = lambda _: None

    def _step(self) -> None:
        step, self.steps = self.steps, self.steps + 1
        self.before(step)

    def get(self, table: str, key: Item) -> Item | None:
        self._step()
        return super().get(table, key)

    def write(self, write: SingleWrite) -> Written:
        self._step()
        return super().write(write)

    def transact(self, writes: Sequence[TransactWrite]) -> None:
        self._step()
        super().transact(writes)

    def at(self, step: int, action: Callable[[], object]) -> None:
        """Do `action` before the given step, counted from now."""
        self.steps = 0
        self.before = lambda n: action() if n == step else None


class Async:
    """The same behind the interface of text's lean client."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, table: str, key: Item) -> Item | None:
        return self._db.get(table, key)

    async def write(self, write: SingleWrite) -> Written:
        return self._db.write(write)

    async def transact(self, writes: Sequence[TransactWrite]) -> None:
        self._db.transact(writes)


def die() -> None:
    """End the process."""
    raise KilledError


class Request:
    """One text request of an account with `BALANCE` micro-USD, and the sweeper."""

    def __init__(self, aws: Aws, clock: ManualClock, cap: SpendingCap | None = None) -> None:
        self.clock = clock
        tables = aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"]
        self.own, self.sweepers = SteppedDatabase(aws), SteppedDatabase(aws)
        self.billing = TextBilling(Async(self.own), HoldWrites(*tables), clock, RateMeter(600))  # type: ignore[arg-type]
        self.ledger = LedgerRepository(self.sweepers, *tables)
        self.account_id = api_parts.api().accounts.open(BALANCE).account_id
        self.allowance: Allowance | None = None if cap is None else cap.at("key_1", clock.now_ms())
        self.placed = run(
            self.billing.place(
                self.account_id, "req_1", choosing(DEMAND, MODEL), self.allowance, spender=NOBODY
            )
        )
        clock.advance_ms(HOLD_LIFETIME_MS + 1)

    def settle(self) -> Billed:
        return run(self.billing.settle(self.placed, MODEL, USAGE))

    def sweep(self) -> int:
        return self.ledger.expire_holds(self.clock.now_ms(), 10)

    def killed(self, move: Callable[[], object], database: SteppedDatabase, step: int) -> None:
        """Do a move whose process ends before its given step, if it has as many."""
        database.at(step, die)
        try:
            move()
        except KilledError:
            pass
        finally:
            database.before = lambda _: None

    def entries(self) -> list[Entry]:
        return [entry for entry in self.ledger.entries(self.account_id) if entry.kind != "credit"]

    def charged(self) -> int:
        return -sum(entry.amount_micro_usd for entry in self.entries())

    def spend(self, amount: int) -> None:
        """Take money by another request that is settled at once, at what it held."""
        other = run(
            self.billing.place(
                self.account_id, "req_2", choosing(Demand(amount, 0), MODEL), None, spender=NOBODY
            )
        )
        run(self.billing.settle(other, MODEL, Usage(other.hold.amount_micro_usd, 0)))

    def balance(self) -> int:
        return api_parts.api().accounts.me(self.account_id).balance_micro_usd

    def check(self) -> None:
        """The law, at any moment."""
        found = api_parts.api().accounts.me(self.account_id)
        entries = self.ledger.entries(self.account_id)
        assert audit(self.account_id, found.balance_micro_usd, entries, found.holds) is None

    def check_ended(self, charge: int) -> None:
        """The law when all is over: no hold is open, and the charge was taken once."""
        self.check()
        assert not api_parts.api().accounts.me(self.account_id).holds
        assert self.charged() == charge
        assert self.balance() == BALANCE - charge


def run(made: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end, on a loop of its own or in the middle of another one.

    Nothing here ever waits, so one step is the whole of it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with closing(asyncio.new_event_loop()) as loop:
            return loop.run_until_complete(made)
    try:
        made.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    raise AssertionError("it waits for something")


@pytest.fixture
def request_(aws: Aws, clock: ManualClock) -> Request:
    return Request(aws, clock)


class TestOrders:
    def test_a_settlement_after_the_sweep_is_carried_by_the_balance(self, request_: Request) -> None:
        assert request_.sweep() == 1
        request_.check_ended(0)
        assert request_.settle() == Billed(CHARGE)
        request_.check_ended(CHARGE)

    def test_a_second_settlement_changes_nothing(self, request_: Request) -> None:
        request_.sweep()
        assert request_.settle() == request_.settle() == Billed(CHARGE)
        request_.check_ended(CHARGE)

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_a_sweep_between_any_two_steps_of_a_settlement(self, request_: Request, step: int) -> None:
        request_.own.at(step, request_.sweep)
        assert request_.settle() == Billed(CHARGE)
        request_.sweep()
        request_.check_ended(CHARGE)

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_a_settlement_between_any_two_steps_of_a_sweep(self, request_: Request, step: int) -> None:
        request_.sweepers.at(step, request_.settle)
        request_.sweep()
        request_.sweepers.before = lambda _: None
        request_.settle()
        request_.check_ended(CHARGE)

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_a_settlement_that_dies_is_ended_by_the_sweeper(self, request_: Request, step: int) -> None:
        request_.killed(request_.settle, request_.own, step)
        request_.check()
        request_.sweep()
        request_.check()
        assert request_.charged() in (0, CHARGE)
        # Who comes back after all pays, once.
        request_.settle()
        request_.check_ended(CHARGE)

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_a_sweep_that_dies_leaves_the_rest_to_the_settlement(self, request_: Request, step: int) -> None:
        request_.killed(request_.sweep, request_.sweepers, step)
        request_.check()
        assert request_.settle() == Billed(CHARGE)
        request_.check_ended(CHARGE)

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_a_late_settlement_that_dies(self, request_: Request, step: int) -> None:
        request_.sweep()
        request_.killed(request_.settle, request_.own, step)
        request_.check()
        assert request_.settle() == Billed(CHARGE)
        request_.check_ended(CHARGE)

    def test_a_later_settlement_of_another_amount_is_not_the_one_that_counts(self, request_: Request) -> None:
        request_.killed(request_.settle, request_.own, 1)  # recorded, not resolved
        run(request_.billing.settle(request_.placed, MODEL, Usage(1, 1)))
        request_.check_ended(CHARGE)


class TestWhatTheBalanceCarries:
    def test_a_late_settlement_takes_what_is_there_and_the_rest_is_ours(self, request_: Request) -> None:
        request_.sweep()
        request_.spend(BALANCE - 50)
        assert request_.settle() == Billed(50, CHARGE - 50)
        request_.check()
        assert request_.balance() == 0

    def test_from_an_empty_account_it_takes_nothing_and_writes_nothing(self, request_: Request) -> None:
        request_.sweep()
        request_.spend(BALANCE)
        written = request_.entries()
        assert request_.settle() == Billed(0, CHARGE)
        assert request_.entries() == written
        request_.check()

    @pytest.mark.parametrize("step", range(MAX_STEPS))
    def test_money_that_goes_in_between_is_not_taken_twice(self, request_: Request, step: int) -> None:
        request_.sweep()
        spent = iter([BALANCE - 30])

        def spend() -> None:
            request_.own.before = lambda _: None
            for amount in spent:
                request_.spend(amount)

        request_.own.at(step, spend)
        billed = request_.settle()
        request_.check()
        assert request_.balance() >= 0
        assert billed.charge_micro_usd + billed.shortfall_micro_usd == CHARGE

    @pytest.mark.parametrize(("cap", "charged"), [(1000, CHARGE), (400, 400 - 330)])
    def test_a_late_settlement_keeps_its_keys_cap(
        self, aws: Aws, clock: ManualClock, cap: int, charged: int
    ) -> None:
        request = Request(aws, clock, SpendingCap(cap, CapPeriod.MONTH))
        assert request.allowance is not None
        request.sweep()
        counter = request.allowance.counter
        assert api_parts.api().accounts.me(request.account_id).counters[counter] == 0
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": request.account_id}},
            UpdateExpression="SET #counter = :spent",
            ExpressionAttributeNames={"#counter": counter},
            ExpressionAttributeValues={":spent": {"N": "330"}},
        )
        assert request.settle() == Billed(charged, CHARGE - charged)
        assert api_parts.api().accounts.me(request.account_id).counters[counter] == 330 + charged
        request.check()


class TestRenewal:
    """A stream that lasts keeps its hold; what a crash leaves behind is over in minutes."""

    @pytest.fixture(autouse=True)
    def at_once(self, request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
        del request_  # placed before, with the real time
        monkeypatch.setattr(renewals, "RENEW_AFTER_MS", 0)

    async def lasting(self, request: Request, *, settled: bool = False) -> int:
        """Place a hold, let the loop turn for a while, and return how many times it was renewed."""
        placed = await request.billing.place(
            request.account_id, "req_long", choosing(DEMAND, MODEL), None, spender=NOBODY
        )
        if settled:
            await request.billing.settle(placed, MODEL, USAGE)
        request.own.steps = 0
        for _ in range(20 * MAX_RENEWALS):
            await asyncio.sleep(0)
        return request.own.steps

    def test_a_hold_is_renewed_so_often_and_not_more(self, request_: Request) -> None:
        with closing(asyncio.new_event_loop()) as loop:
            assert loop.run_until_complete(self.lasting(request_)) == MAX_RENEWALS
        (_, hold) = api_parts.api().accounts.me(request_.account_id).holds
        assert hold.expires_at_ms == request_.clock.now_ms() + HOLD_LIFETIME_MS

    def test_a_renewed_hold_is_not_swept_before_its_new_end(self, request_: Request) -> None:
        hold = request_.placed.hold
        later = request_.clock.now_ms() + HOLD_LIFETIME_MS
        request_.own.write(request_.billing._writes.renew(request_.account_id, hold, later))
        assert request_.sweep() == 0
        request_.clock.advance_ms(HOLD_LIFETIME_MS)
        assert request_.sweep() == 1
        request_.check_ended(0)

    def test_a_settled_request_renews_nothing(self, request_: Request) -> None:
        with closing(asyncio.new_event_loop()) as loop:
            assert loop.run_until_complete(self.lasting(request_, settled=True)) == 0

    def test_a_hold_that_was_given_back_is_not_renewed_and_its_charge_comes_late(
        self, request_: Request
    ) -> None:
        async def swept_while_running() -> Billed:
            placed = await request_.billing.place(
                request_.account_id, "req_long", choosing(DEMAND, MODEL), None, spender=NOBODY
            )
            request_.clock.advance_ms(HOLD_LIFETIME_MS + 1)
            request_.sweep()
            for _ in range(20 * MAX_RENEWALS):
                await asyncio.sleep(0)
            return await request_.billing.settle(placed, MODEL, USAGE)

        with closing(asyncio.new_event_loop()) as loop:
            assert loop.run_until_complete(swept_while_running()) == Billed(CHARGE)
        request_.check()
        assert not api_parts.api().accounts.me(request_.account_id).holds


moves = st.lists(
    st.tuples(st.sampled_from(["settle", "sweep", "settle in sweep", "sweep in settle"]), st.integers(0, 4)),
    max_size=6,
)


class TestLaw:
    @settings(max_examples=money_examples(20), suppress_health_check=list(HealthCheck), database=None)
    @given(moves)
    def test_however_they_die_and_overtake_each_other(
        self, aws: Aws, clock: ManualClock, sequence: list[tuple[str, int]]
    ) -> None:
        request = Request(aws, clock)
        for move, step in sequence:
            match move:
                case "settle":
                    request.killed(request.settle, request.own, step)
                case "sweep":
                    request.killed(request.sweep, request.sweepers, step)
                case "settle in sweep":
                    request.sweepers.at(step, request.settle)
                    request.sweep()
                case "sweep in settle":
                    request.own.at(step, request.sweep)
                    request.settle()
            request.own.before = request.sweepers.before = lambda _: None
            request.check()
            assert request.charged() in (0, CHARGE)
        request.settle()
        request.check_ended(CHARGE)
