"""The steps of one hold and one charge, on the tables of the template: each amount is calculated by hand."""

import asyncio
import json
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, TypeVar

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tests.unit.text.samples import choosing, small_model
from tests.unit.text.test_billing import FailingDatabase
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.dynamodb.core import DatabaseBusyError, DatabaseError, Written
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budget_rows import definitions_key
from tollgate.ledger.budgets import NO_BUDGETS, NOBODY, Budgets, KnownBudgets, Spender
from tollgate.ledger.caps import Allowance, CapPeriod, SpendingCap
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import (
    BudgetReachedError,
    InsufficientBalanceError,
    RateLimitedError,
    SpendingCapReachedError,
)
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.wallets import Limits, WalletWrites, row_ids
from tollgate.routing.wishes import Wishes
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import Demand
from tollgate.text.money.placed import Billed, PlacedHold
from tollgate.text.money.route_plan import RoutePlan
from tollgate.text.usage import Usage

T = TypeVar("T")

MODEL = small_model(10_000)
# Holds 100 + 2 x 300 = 700.
DEMAND = Demand(100, 300)
# Costs 100 + 2 x 10 = 120.
USAGE, CHARGE = Usage(100, 10), 120


class FullDatabase(FailingDatabase):
    """The same with transactions."""

    def __init__(self, aws: Aws) -> None:
        super().__init__(aws)
        self.blocking = Database(aws.clients.dynamodb)
        self.fail_once = False
        self.writes = 0

    async def write(self, write: SingleWrite) -> Written:
        self.writes += 1
        if self.fail_once:
            self.fail_once = False
            raise DatabaseError("down")
        return await super().write(write)

    async def transact(self, writes: Sequence[TransactWrite]) -> None:
        self.blocking.transact(writes)

    async def transact_once(self, writes: Sequence[TransactWrite]) -> bool:
        self.blocking.transact(writes)
        return True

    async def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        return self.blocking.get_together(table, keys)


class Desk:
    """An account and the billing of one process."""

    def __init__(self, aws: Aws, clock: ManualClock, loop: asyncio.AbstractEventLoop) -> None:
        self.db, self.clock, self.loop = FullDatabase(aws), clock, loop
        tables = [aws.stack.refs[f"{name}Table"] for name in ("Accounts", "Ledger", "Budgets")]
        self.writes = HoldWrites(*tables)
        self.ledger = run_task_parts.step_runner().ledger
        self.account_id = ""
        self.start()

    def start(self) -> None:
        """Begin as a new process, which knows no limits."""
        self.billing = TextBilling(self.db, self.writes, self.clock, RateMeter(600))  # type: ignore[arg-type]

    def open(self, balance_micro_usd: int, **limits: int) -> None:
        self.account_id = api_parts.api().accounts.open(balance_micro_usd).account_id
        if limits:
            self.ledger.wallets.set_limits(self.account_id, Limits(**limits))  # type: ignore[arg-type]

    def limit(self, cents: int) -> None:
        """Give the account a budget that counts all requests."""
        body = {"name": "All", "scope": "account", "limitCents": cents, "per": "total"}
        api_parts.api().budgets.create(self.account_id, body, None)

    def run(self, step: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(step)

    def place(
        self,
        request_id: str,
        demand: Demand = DEMAND,
        allowance: Allowance | None = None,
        spender: Spender = NOBODY,
    ) -> PlacedHold:
        return self.run(
            self.billing.place(
                self.account_id, request_id, choosing(demand, MODEL), allowance, spender=spender
            )
        )

    def settle(self, placed: PlacedHold, usage: Usage = USAGE) -> tuple[int, int]:
        billed = self.run(self.billing.settle(placed, MODEL, usage))
        return billed.charge_micro_usd, billed.shortfall_micro_usd

    @property
    def row(self) -> dict[str, Any]:
        return self.db.blocking.get(self.writes.accounts_table, {"account_id": self.account_id}) or {}

    @property
    def balance(self) -> int:
        return int(self.row["balance_micro_usd"])

    def entries(self, kind: EntryKind) -> list[Entry]:
        return [entry for entry in self.ledger.entries(self.account_id) if entry.kind is kind]


@pytest.fixture
def desk(aws: Aws, clock: ManualClock) -> Iterator[Desk]:
    loop = asyncio.new_event_loop()
    yield Desk(aws, clock, loop)
    loop.close()


def metrics(printed: str) -> dict[str, list[float]]:
    """Return the metrics in what a process printed."""
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith('{"_aws"')]
    return {
        name: line[name] for line in lines for name in ("HoldShortfalls", "LateSettlements") if name in line
    }


class TestPlacing:
    def test_a_hold_that_is_over_makes_room_and_one_that_is_not_does_not(self, desk: Desk) -> None:
        desk.open(1000)
        desk.place("req_1")
        desk.clock.advance_ms(HOLD_LIFETIME_MS - 1)
        with pytest.raises(InsufficientBalanceError):
            desk.place("req_2")
        desk.clock.advance_ms(1)
        desk.place("req_2")
        assert desk.balance == 300
        assert [entry.request_id for entry in desk.entries(EntryKind.VOID)] == ["req_1"]

    def test_a_hold_that_is_over_and_was_billed_pays_its_charge(self, desk: Desk) -> None:
        desk.open(1000)
        placed = desk.place("req_1")
        desk.db.down_after = 1
        with pytest.raises(DatabaseError):
            desk.settle(placed)
        desk.db.down_after = None
        desk.clock.advance_ms(HOLD_LIFETIME_MS)
        desk.place("req_2")
        assert desk.balance == 1000 - CHARGE - 700
        assert desk.entries(EntryKind.VOID) == []

    @pytest.mark.parametrize("has_budget", [False, True])
    def test_a_process_learns_an_accounts_limit_from_its_first_hold(
        self, desk: Desk, *, has_budget: bool
    ) -> None:
        desk.open(20_000, text_at_once=1)
        if has_budget:
            desk.limit(3)
        desk.place("req_1")
        assert desk.billing.limits.get(desk.account_id) == Limits(text_at_once=1)
        with pytest.raises(ConcurrencyLimitedError, match="has 1 text requests"):
            desk.place("req_2")

    def test_each_hold_counts_as_a_request_of_this_minute(self, desk: Desk) -> None:
        desk.open(20_000)
        desk.place("req_1")
        desk.place("req_2")
        headers = desk.billing.rate_headers(desk.account_id)
        assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("600", "598")

    def test_a_process_learns_an_accounts_limit_from_a_refusal(self, desk: Desk) -> None:
        desk.open(20_000, text_at_once=1)
        desk.place("req_1")
        desk.start()
        # The balance does not cover 2 x 10 000, and a smaller hold is one too many.
        with pytest.raises(ConcurrencyLimitedError, match="has 1 text requests"):
            desk.place("req_2", Demand(0, None))
        assert len(desk.row["holds"]) == 1

    # The least is 4 096 tokens. A balance that is exactly enough is enough.
    @pytest.mark.parametrize(("balance", "left"), [(18_000, 9_808), (8_192, 0)])
    def test_a_balance_that_does_not_cover_the_maximum_holds_less(
        self, desk: Desk, balance: int, left: int
    ) -> None:
        desk.open(balance)
        placed = desk.place("req_1", Demand(0, None))
        assert (placed.hold.amount_micro_usd, desk.balance) == (8_192, left)

    def test_a_hold_is_whole_if_all_rows_together_cover_it(self, desk: Desk) -> None:
        desk.open(24_000, wallets=2)
        _, wallet = row_ids(desk.account_id, 2)
        desk.db.blocking.transact(WalletWrites(desk.writes.accounts_table).fund(wallet, 12_000, 12_000))
        # A key with a cap spends from the main row, which has half of the money.
        assert desk.balance == 12_000
        allowance = SpendingCap(100_000, CapPeriod.DAY).at("key_1", desk.clock.now_ms())
        placed = desk.place("req_1", Demand(0, None), allowance=allowance)
        assert (placed.hold.amount_micro_usd, desk.balance) == (20_000, 4_000)

    @pytest.mark.parametrize(
        ("balance", "limits", "error"),
        [(1000, {}, InsufficientBalanceError), (2000, {"text_at_once": 1}, ConcurrencyLimitedError)],
    )
    def test_a_refusal_takes_one_write(
        self, desk: Desk, balance: int, limits: dict[str, int], error: type[Exception]
    ) -> None:
        desk.open(balance, **limits)
        desk.place("req_1")
        before = desk.db.writes
        with pytest.raises(error):
            desk.place("req_2")
        assert desk.db.writes == before + 1

    def test_the_first_request_of_a_period_starts_the_counter_of_its_cap(self, desk: Desk) -> None:
        desk.open(10_000)
        allowance = SpendingCap(1_000, CapPeriod.DAY).at("key_1", desk.clock.now_ms())
        desk.place("req_1", allowance=allowance)
        assert desk.row[allowance.counter] == 700
        with pytest.raises(SpendingCapReachedError):
            desk.place("req_2", allowance=allowance)
        assert desk.balance == 9_300

    def test_requests_above_the_limit_of_a_minute_are_refused_until_the_next(self, desk: Desk) -> None:
        desk.open(10_000, requests_per_minute=2)
        for n in range(2):
            desk.place(f"req_{n}")
        # A process that has counted none of them learns it from the refusal.
        desk.start()
        with pytest.raises(RateLimitedError):
            desk.place("req_2")
        assert desk.billing.rate_headers(desk.account_id)["x-ratelimit-remaining"] == "0"
        desk.clock.advance_ms(60_000)
        assert desk.place("req_3").hold.amount_micro_usd == 700

    def test_an_account_with_several_rows_has_the_sum_of_their_limits(self, desk: Desk) -> None:
        desk.open(24_000, wallets=2, text_at_once=2)
        for n in range(2):
            desk.place(f"req_{n}")
        with pytest.raises(ConcurrencyLimitedError):
            desk.place("req_2")

    def test_a_hold_has_the_mark_up_that_another_request_found_meanwhile(self, desk: Desk) -> None:
        desk.open(10_000)
        budgets, account_id = api_parts.api().budgets.budgets, desk.account_id
        budgets.change(account_id, NO_BUDGETS, Budgets(markup_percent=100))
        row = desk.db.blocking.get(desk.writes.budgets.table, definitions_key(account_id))
        known: KnownBudgets = desk.billing.place.__self__.budgets.known  # type: ignore[attr-defined]

        def choose(wishes: Wishes) -> RoutePlan:
            known.put(account_id, row)
            return choosing(DEMAND, MODEL)(wishes)

        assert (
            desk.run(
                desk.billing.place(account_id, "req_1", choose, None, spender=NOBODY)
            ).hold.amount_micro_usd
            == 1_400
        )

    def test_a_budget_is_spent_to_its_last_hold_in_whichever_rows_its_money_is(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.open(10**6, wallets=2)
        desk.limit(3)
        monkeypatch.setattr("tollgate.text.money.placing.random.randrange", lambda _: 1)
        # The second row gets a quarter of the main row's money at a time: 7,500, 5,625, 4,218 and 3,164.
        for number in range(42):
            assert desk.place(f"req_{number}").hold.amount_micro_usd == 700
        # Now one row has 207, and the other 393.
        assert desk.place("last", Demand(0, 300)).hold.amount_micro_usd == 600
        with pytest.raises(BudgetReachedError):
            desk.place("one more", Demand(0, 1))

    # What another process undoes each time: the budgets that were read, a share, and the money of all rows.
    @pytest.mark.parametrize(
        ("target", "result"),
        [
            ("money.budgets.TextBudgets.load", None),
            ("money.budgets.TextBudgets.fund", True),
            ("money.wallets.Wallets.gather", True),
        ],
    )
    def test_a_hold_that_never_succeeds_has_an_end(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, target: str, result: object
    ) -> None:
        async def nothing(*_: object) -> object:
            return result

        desk.open(1_000 if "gather" in target else 10**6, wallets=2)
        desk.limit(2)
        monkeypatch.setattr("tollgate.text.money.placing.random.randrange", lambda _: 1)
        monkeypatch.setattr(f"tollgate.text.{target}", nothing)
        with pytest.raises(DatabaseBusyError, match="moving"):
            desk.place("req_1", Demand(100, 575))
        assert desk.row["holds"] == {}


class TestSettling:
    @pytest.mark.parametrize("is_estimated", [False, True])
    def test_an_estimated_usage_is_logged(
        self, desk: Desk, caplog: pytest.LogCaptureFixture, *, is_estimated: bool
    ) -> None:
        desk.open(10_000)
        desk.settle(desk.place("req_1"), replace(USAGE, estimated=is_estimated))
        assert ("text.usage_estimated" in caplog.text) is is_estimated

    @pytest.mark.parametrize(
        ("output_tokens", "reason"), [(4_096, "The balance limited the response."), (4_095, None)]
    )
    def test_the_row_says_if_the_balance_ended_the_response(
        self, desk: Desk, output_tokens: int, reason: str | None
    ) -> None:
        desk.open(18_000)
        placed = desk.place("req_1", Demand(0, None))
        assert desk.run(desk.billing.settle(placed, MODEL, Usage(0, output_tokens))).is_limited
        assert [entry.reason for entry in desk.entries(EntryKind.TEXT)] == [reason]

    def test_the_row_has_all_that_its_owner_sees(self, desk: Desk) -> None:
        desk.open(10_000)
        placed = desk.place("req_1", spender=Spender("key_1"))
        placed.provider, placed.first_byte_ms = "openai", 5
        assert desk.run(desk.billing.settle(placed, MODEL, USAGE)) == Billed(CHARGE)
        (entry,) = desk.entries(EntryKind.TEXT)
        assert (entry.request_id, entry.model, entry.amount_micro_usd) == ("req_1", "m", -CHARGE)
        assert (entry.provider, entry.key_id, entry.first_byte_ms) == ("openai", "key_1", 5)
        assert entry.latency_ms is not None
        assert entry.created_at_ms == desk.clock.now_ms()

    def test_a_repeat_charges_nothing_more(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        desk.open(10_000)
        placed = desk.place("req_1")
        assert desk.settle(placed) == (CHARGE, 0)
        # The first charge counts, even if a second look at the answer finds another.
        assert desk.settle(placed, Usage(1, 1)) == (CHARGE, 3 - CHARGE)
        assert desk.balance == 10_000 - CHARGE
        assert metrics(capsys.readouterr().out) == {}

    @pytest.mark.parametrize(
        ("usage", "result"),
        [(Usage(800, 0), (700, 100)), (Usage(10, 0, estimated=True, disbelieved=True), (10, 0))],
        ids=["above the hold", "impossible"],
    )
    def test_a_charge_that_cannot_be_right_rings_an_alarm(
        self, desk: Desk, capsys: pytest.CaptureFixture[str], usage: Usage, result: tuple[int, int]
    ) -> None:
        desk.open(10_000)
        assert desk.settle(desk.place("req_1"), usage) == result
        assert metrics(capsys.readouterr().out) == {"HoldShortfalls": [1.0]}

    @pytest.mark.parametrize("is_doubtful", [True, False])
    def test_a_hold_whose_place_may_arrive_again_leaves_a_mark(self, desk: Desk, is_doubtful: bool) -> None:
        desk.open(10_000)
        placed = desk.place("req_1")
        placed.is_doubtful = is_doubtful
        desk.settle(placed)
        assert bool(desk.row["holds"]) is is_doubtful


class TestBudgets:
    @pytest.mark.parametrize(("limit_cents", "is_divided"), [(2, True), (1, False)])
    def test_one_is_held_to_its_last_unit_in_all_rows_of_an_account(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, limit_cents: int, is_divided: bool
    ) -> None:
        turns = cycle([1, 0])
        monkeypatch.setattr("tollgate.text.money.placing.random.randrange", lambda _: next(turns))
        desk.open(10**6, wallets=2)
        budgets, limit = api_parts.api().budgets, micro_usd_of_cents(limit_cents)
        desk.limit(limit_cents)
        (budget,) = budgets.budgets.read(desk.account_id).budgets
        # 100 + 2 x 575 = 1 250. A quarter of 20 000 is enough for four such requests.
        demand = Demand(100, 575)
        held = [desk.place(f"req_{n}", demand) for n in range(limit // 1_250)]
        assert {placed.hold.amount_micro_usd for placed in held} == {1_250}
        assert {"#1#" in item for placed in held for item in placed.hold.budgets} == {False, is_divided}
        with pytest.raises(BudgetReachedError) as refused:
            desk.place("req_more", demand)
        assert refused.value.extra()["leftCents"] == 0
        assert budgets.budgets.spent(desk.account_id, budget, "total") == {"": limit}
        for placed in held:
            desk.settle(placed)
        assert budgets.budgets.spent(desk.account_id, budget, "total") == {"": CHARGE * len(held)}


class TestFailing:
    def test_the_hold_is_released_and_the_row_names_each_provider(self, desk: Desk) -> None:
        desk.open(1000)
        placed = desk.place("req_1", spender=Spender("key_1", Attribution("alice")))
        for provider in ("openai", "openrouter", "openrouter"):
            placed.call(provider)
        desk.run(desk.billing.fail(placed, "m", "The providers failed."))
        (entry,) = (one for one in desk.ledger.entries(desk.account_id) if one.kind is not EntryKind.CREDIT)
        assert (entry.request_id, entry.model, entry.amount_micro_usd) == ("req_1", "m", 0)
        assert (entry.provider, entry.reason) == ("openai → openrouter", "The providers failed.")
        assert (entry.key_id, entry.user, entry.created_at_ms) == ("key_1", "alice", desk.clock.now_ms())
        assert entry.latency_ms is not None
        assert desk.balance == 1000

    def test_a_request_that_called_no_provider_has_no_row(self, desk: Desk) -> None:
        desk.open(1000)
        desk.run(desk.billing.fail(desk.place("req_1"), "m", "The client left."))
        assert [one.kind for one in desk.ledger.entries(desk.account_id)] == [EntryKind.CREDIT]
        assert desk.balance == 1000

    def test_the_hold_is_released_though_its_row_cannot_be_written(
        self, desk: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        desk.open(1000)
        placed = desk.place("req_1")
        placed.call("openai")
        desk.db.fail_once = True
        desk.run(desk.billing.fail(placed, "m", "The provider failed."))
        assert "text.failure_not_recorded" in caplog.text
        assert desk.balance == 1000


class TestLate:
    def expired(self, desk: Desk) -> PlacedHold:
        """Return a hold that the sweeper gave back while its request went on."""
        placed = desk.place("req_1")
        desk.clock.advance_ms(HOLD_LIFETIME_MS)
        assert desk.ledger.expire_holds(desk.clock.now_ms(), 10) == 1
        return placed

    @pytest.mark.parametrize("wallets", [1, 2])
    def test_the_charge_follows_once_and_is_counted(
        self, desk: Desk, capsys: pytest.CaptureFixture[str], wallets: int
    ) -> None:
        desk.open(1000)
        placed = self.expired(desk)
        desk.ledger.wallets.set_limits(desk.account_id, Limits(wallets=wallets))
        for wallet in row_ids(desk.account_id, wallets)[1:]:
            desk.db.blocking.transact(WalletWrites(desk.writes.accounts_table).fund(wallet, 1000, 1000))
        assert desk.settle(placed) == (CHARGE, 0)
        assert desk.settle(placed) == (CHARGE, 0)
        assert desk.balance == 1000 - CHARGE
        assert metrics(capsys.readouterr().out) == {"LateSettlements": [1.0]}

    @pytest.mark.parametrize(("left", "charged"), [(119, 119), (1, 1), (0, 0)])
    def test_it_takes_what_is_left_and_the_rest_rings_an_alarm(
        self, desk: Desk, capsys: pytest.CaptureFixture[str], left: int, charged: int
    ) -> None:
        desk.open(1000)
        placed = self.expired(desk)
        desk.place("req_2", Demand(1000 - left, 0))
        assert desk.settle(placed) == (charged, CHARGE - charged)
        assert desk.balance == left - charged
        assert metrics(capsys.readouterr().out) == {"LateSettlements": [1.0], "HoldShortfalls": [1.0]}

    def test_it_keeps_to_the_cap(self, desk: Desk) -> None:
        desk.open(10_000)
        allowance = SpendingCap(1_000, CapPeriod.DAY).at("key_1", desk.clock.now_ms())
        placed = desk.place("req_1", allowance=allowance)
        desk.clock.advance_ms(HOLD_LIFETIME_MS)
        desk.ledger.expire_holds(desk.clock.now_ms(), 10)
        desk.place("req_2", Demand(900, 0), allowance=allowance)
        assert desk.settle(placed) == (100, 20)
        assert desk.row[allowance.counter] == 1_000
