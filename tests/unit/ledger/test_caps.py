"""Spending caps: the counter is what was spent, whatever happens, and it never passes the cap by a charge."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Aws
from tests.support.laws import money_examples
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.ledger import repository
from tollgate.ledger.audit import audit
from tollgate.ledger.budgets import NO_BUDGETS, NOTHING_APPLIED, BudgetPeriod, period_at
from tollgate.ledger.caps import (
    MAX_COUNTERS,
    AlreadyOpenError,
    CapPeriod,
    SpendingCap,
    cap_reached,
    key_of,
    open_period,
)
from tollgate.ledger.entries import charge_entry, refund_of
from tollgate.ledger.errors import InsufficientBalanceError, KeyLimitReachedError, SpendingCapReachedError
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import Hold, HoldRefusedError
from tollgate.ledger.rate import RateMeter

HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
BALANCE = 1_000_000


def ms(text: str) -> int:
    """Return an ISO 8601 time in epoch milliseconds."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def west_of_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set a time zone in which a day begins 12 hours later."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Etc/GMT+12")
        time.tzset()
        yield
    time.tzset()


class TestPeriods:
    @pytest.mark.parametrize(
        ("per", "now", "period", "resets"),
        [
            ("day", "2026-11-21T00:00:00.000", "2026-11-21", "2026-11-22T00:00:00"),
            ("day", "2026-11-21T23:59:59.999", "2026-11-21", "2026-11-22T00:00:00"),
            ("day", "2026-12-31T12:00:00.000", "2026-12-31", "2027-01-01T00:00:00"),
            ("day", "2028-02-28T12:00:00.000", "2028-02-28", "2028-02-29T00:00:00"),
            ("month", "2026-11-01T00:00:00.000", "2026-11", "2026-12-01T00:00:00"),
            ("month", "2026-11-30T23:59:59.999", "2026-11", "2026-12-01T00:00:00"),
            ("month", "2026-12-31T23:59:59.999", "2026-12", "2027-01-01T00:00:00"),
            ("month", "2026-01-31T00:00:00.000", "2026-01", "2026-02-01T00:00:00"),
        ],
    )
    def test_are_days_and_months_of_utc(self, per: str, now: str, period: str, resets: str) -> None:
        allowance = SpendingCap(5, CapPeriod(per)).at("key_1", ms(now))
        assert allowance.counter == f"spent#key_1#{period}"
        assert allowance.resets_at_ms == ms(resets)
        assert allowance.limit_micro_usd == 5

    @pytest.mark.usefixtures("west_of_utc")
    def test_are_those_of_utc_on_a_machine_in_another_zone(self) -> None:
        now_ms, ends_ms = ms("2034-12-01T00:00:00"), ms("2035-01-01T00:00:00")
        assert SpendingCap(5, CapPeriod.MONTH).at("key_1", now_ms).resets_at_ms == ends_ms
        assert period_at(BudgetPeriod.MONTH, now_ms) == ("2034-12", ends_ms)

    @given(st.integers(0, 4 * 10**12), st.sampled_from(CapPeriod))
    def test_the_next_one_begins_where_one_ends(self, now_ms: int, per: CapPeriod) -> None:
        cap = SpendingCap(5, per)
        now = cap.at("key_1", now_ms)
        assert now_ms < now.resets_at_ms
        assert cap.at("key_1", now.resets_at_ms - 1).counter == now.counter
        assert cap.at("key_1", now.resets_at_ms).counter > now.counter

    def test_a_counter_names_its_key(self) -> None:
        assert key_of("spent#key_1#2026-11-21") == "key_1"

    def test_a_cap_is_stored_with_its_period(self) -> None:
        cap = SpendingCap(5, CapPeriod.MONTH)
        assert cap.to_item() == {"limit": 5, "per": "month"}
        assert SpendingCap.from_item(cap.to_item()) == cap


@dataclass
class Books:
    """An account and a key with a cap, with every move of money, on moto; and what they should come to."""

    aws: Aws
    cap: SpendingCap
    now_ms: int = ms("2026-11-28T20:00:00")
    spent: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.db = Database(self.aws.clients.dynamodb)
        self.writes = HoldWrites(self.aws.stack.refs["AccountsTable"], self.aws.stack.refs["LedgerTable"])
        self.id = api_parts.api().accounts.open(BALANCE).account_id
        self.ledger = run_task_parts.step_runner().ledger
        self.meter = RateMeter(1_000)

    def charge(self, task_id: str, amount: int) -> str:
        """Charge a task as a create does; give its counter."""
        allowance = self.cap.at("key_1", self.now_ms)
        self.ledger.open_counter(self.id, allowance, self.now_ms)
        entry = charge_entry(self.id, task_id, "m", amount, self.now_ms, counter=allowance.counter)
        window = self.meter.guess(self.id, self.now_ms)
        self.db.transact(
            self.ledger.charge(entry.account_id, [entry], window, allowance, applied=NOTHING_APPLIED)
        )
        self.meter.counted(self.id, window)
        self.spent[allowance.counter] += amount
        return allowance.counter

    def refund(self, task_id: str, amount: int, counter: str) -> None:
        """End a task as the worker does."""
        entry = charge_entry(self.id, task_id, "m", amount, self.now_ms, counter=counter)
        refund = refund_of(entry, self.now_ms)
        self.db.transact(self.ledger.close_task(self.id, refund, was_running=False))
        self.spent[counter] -= amount

    def place(self, request_id: str, amount: int) -> Hold:
        """Place a hold as a text request does."""
        allowance = self.cap.at("key_1", self.now_ms)
        self.ledger.open_counter(self.id, allowance, self.now_ms)
        hold = Hold(request_id, amount, self.now_ms + HOUR_MS, allowance.counter)
        window = self.meter.guess(self.id, self.now_ms)
        self.db.write(self.writes.place(self.id, hold, window, allowance, budgets=NO_BUDGETS))
        self.meter.counted(self.id, window)
        self.spent[allowance.counter] += amount
        return hold

    def record(self, hold: Hold, charge: int) -> None:
        entry = text_entry(
            self.id,
            hold.request_id,
            hold.counter,
            model="m",
            charge_micro_usd=charge,
            usage={},
            now_ms=self.now_ms,
        )
        self.db.write(self.writes.record(entry))

    def resolve(self, hold: Hold, charge: int) -> None:
        self.db.write(self.writes.resolve(self.id, hold, charge))
        self.resolved(hold, charge)

    def resolved(self, hold: Hold, charge: int) -> None:
        self.spent[hold.counter or ""] -= hold.amount_micro_usd - charge

    def counters(self) -> dict[str, int]:
        return dict(api_parts.api().accounts.me(self.id).counters)

    def counted(self) -> int:
        """Return the counter of now."""
        return self.counters().get(self.cap.at("key_1", self.now_ms).counter, 0)

    def agree(self) -> bool:
        """Return whether the counter of now is what was spent, and the balance what the ledger says."""
        account = api_parts.api().accounts.me(self.id)
        entries = self.ledger.entries(self.id)
        drift = audit(self.id, account.balance_micro_usd, entries, account.holds)
        return drift is None and self.counted() == self.spent[self.cap.at("key_1", self.now_ms).counter]


@pytest.fixture
def books(aws: Aws) -> Books:
    """Return books with a cap of 1 000 micro-USD a day."""
    return Books(aws, SpendingCap(1000, CapPeriod.DAY))


class TestMoves:
    def test_a_charge_that_the_cap_does_not_cover_is_refused_with_what_was_spent(self, aws: Aws) -> None:
        books = Books(aws, SpendingCap(50_000, CapPeriod.DAY))
        books.charge("task_1", 30_000)
        with pytest.raises(SpendingCapReachedError) as refused:
            books.charge("task_2", 20_001)
        assert refused.value.extra() == {
            "capCents": 5,
            "spentCents": 3,
            "requiredCents": 3,
            "resetsAt": "2026-11-29T00:00:00.000Z",
        }
        books.charge("task_2", 20_000)
        assert books.counted() == 50_000
        assert books.agree()

    def test_a_balance_that_is_too_low_is_said_before_the_cap(self, aws: Aws) -> None:
        books = Books(aws, SpendingCap(10, CapPeriod.DAY))
        with pytest.raises(InsufficientBalanceError):
            books.charge("task_1", BALANCE + 1)
        with pytest.raises(SpendingCapReachedError):
            books.charge("task_1", BALANCE)

    def test_a_counter_is_opened_once_and_not_without_an_account(self, aws: Aws) -> None:
        books = Books(aws, SpendingCap(10, CapPeriod.DAY))
        books.charge("task_1", 7)
        table, allowance = books.writes.accounts_table, books.cap.at("key_1", books.now_ms)
        for account_id in (books.id, "usr_gone"):
            with pytest.raises(AlreadyOpenError):
                books.db.write(open_period(table, account_id, allowance, {}, books.now_ms))
        assert books.counted() == 7
        assert books.db.get(table, {"account_id": "usr_gone"}) is None

    @pytest.mark.parametrize("helps", [True, False])
    def test_a_refusal_says_whether_waiting_helps(self, helps: bool) -> None:
        allowance = SpendingCap(50_000, CapPeriod.MONTH).at("key_1", ms("2026-11-28T20:00:00"))
        error = cap_reached(allowance, {allowance.counter: 20_000}, 40_000, waiting_helps=helps)
        assert error.extra() == {
            "capCents": 5,
            "spentCents": 2,
            "requiredCents": 4,
            "resetsAt": "2026-12-01T00:00:00.000Z",
            "waitingHelps": helps,
        }

    def test_a_refusal_before_any_charge_says_that_nothing_was_spent(self) -> None:
        allowance = SpendingCap(50_000, CapPeriod.MONTH).at("key_1", ms("2026-11-28T20:00:00"))
        assert cap_reached(allowance, {}, 60_000).extra()["spentCents"] == 0

    def test_a_cap_that_covers_exactly_the_charge_is_not_the_reason(
        self, aws: Aws, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MAX_OPEN_TASKS", 0)
        books = Books(aws, SpendingCap(10, CapPeriod.DAY))
        with pytest.raises(ConcurrencyLimitedError):
            books.charge("task_1", 10)
        with pytest.raises(SpendingCapReachedError):
            books.charge("task_1", 11)

    def test_a_cap_of_nothing_lets_nothing_through_but_what_is_free(self, aws: Aws) -> None:
        books = Books(aws, SpendingCap(0, CapPeriod.MONTH))
        with pytest.raises(SpendingCapReachedError):
            books.charge("task_1", 1)
        books.charge("task_1", 0)

    def test_a_refund_gives_back_to_the_period_that_was_charged(self, books: Books) -> None:
        yesterday = books.charge("task_1", 700)
        books.now_ms += DAY_MS
        today = books.charge("task_2", 600)
        books.refund("task_1", 700, yesterday)
        assert books.counters() == {yesterday: 0, today: 600}
        books.refund("task_2", 600, today)
        assert books.counted() == 0
        assert books.agree()

    def test_a_refund_long_after_changes_nothing_that_counts(self, books: Books) -> None:
        first = books.charge("task_1", 700)
        books.now_ms += 3 * DAY_MS
        today = books.charge("task_2", 600)
        assert first not in books.counters()
        books.refund("task_1", 700, first)
        assert books.counters() == {first: 0, today: 600}

    def test_a_hold_counts_in_full_until_it_is_settled(self, books: Books) -> None:
        hold = books.place("req_1", 900)
        with pytest.raises(HoldRefusedError) as refused:
            books.place("req_2", 101)
        assert refused.value.counters == {hold.counter: 900}
        assert refused.value.held_in(hold.counter or "") == 900
        books.record(hold, 250)
        books.resolve(hold, 250)
        assert books.counted() == 250
        books.place("req_2", 750)
        assert books.agree()

    def test_a_hold_that_expires_gives_the_cap_back_too(self, books: Books) -> None:
        dead, billed = books.place("req_1", 400), books.place("req_2", 500)
        books.record(billed, 120)
        assert books.ledger.expire_holds(books.now_ms + HOUR_MS, 10) == 2
        books.resolved(dead, 0)
        books.resolved(billed, 120)
        assert books.counted() == 120
        assert books.agree()


class TestOpening:
    def test_counters_of_old_periods_are_dropped_and_those_of_now_kept(self, aws: Aws) -> None:
        account_id = api_parts.api().accounts.open(0).account_id
        ledger = run_task_parts.step_runner().ledger
        daily, monthly = SpendingCap(5, CapPeriod.DAY), SpendingCap(5, CapPeriod.MONTH)
        for day in range(1, 31):
            now_ms = ms(f"2026-11-{day:02}T12:00:00")
            ledger.open_counter(account_id, daily.at("key_1", now_ms), now_ms)
            ledger.open_counter(account_id, monthly.at("key_2", now_ms), now_ms)
        found = api_parts.api().accounts.me(account_id).counters
        assert found == {"spent#key_1#2026-11-30": 0, "spent#key_2#2026-11": 0}

    def test_a_counter_outlives_its_period_by_an_hour(self, books: Books) -> None:
        first = books.charge("task_1", 700)
        books.now_ms = ms("2026-11-29T00:59:59")
        books.charge("task_2", 1)
        assert first in books.counters()

    def test_opening_twice_keeps_what_was_counted(self, books: Books) -> None:
        books.charge("task_1", 700)
        books.charge("task_2", 200)
        assert books.counted() == 900

    def test_there_is_an_end_to_them(self) -> None:
        now_ms = ms("2026-11-21T12:00:00")
        allowance = SpendingCap(5, CapPeriod.DAY).at("key_new", now_ms)
        used = {f"spent#key_{n}#2026-11": 1 for n in range(MAX_COUNTERS)}
        with pytest.raises(KeyLimitReachedError, match="500"):
            open_period("accounts", "usr_1", allowance, used, now_ms)
        old = {f"spent#key_{n}#2026-10": 1 for n in range(MAX_COUNTERS)}
        assert open_period("accounts", "usr_1", allowance, old, now_ms).update


class Life:
    """Three tasks and three requests of one capped key, which anything may happen to, in any order."""

    def __init__(self, aws: Aws, per: CapPeriod) -> None:
        self.books = Books(aws, SpendingCap(1000, per))
        self.tasks: dict[int, tuple[str, int, str]] = {}
        self.holds: dict[int, Hold] = {}
        self.recorded: dict[int, int] = {}
        self.moves = 0

    def charge(self, slot: int, amount: int) -> None:
        task_id = f"task_{self.moves}"
        if slot not in self.tasks and self.fits(lambda: self.books.charge(task_id, amount), amount):
            counter = self.books.cap.at("key_1", self.books.now_ms).counter
            self.tasks[slot] = (task_id, amount, counter)

    def refund(self, slot: int, amount: int) -> None:
        if slot in self.tasks:
            self.books.refund(*self.tasks.pop(slot))

    def place(self, slot: int, amount: int) -> None:
        request_id = f"req_{self.moves}"
        if slot not in self.holds and self.fits(lambda: self.books.place(request_id, amount), amount):
            holds = {hold.request_id: hold for hold in api_parts.api().accounts.me(self.books.id).holds}
            self.holds[slot] = holds[request_id]

    def record(self, slot: int, amount: int) -> None:
        if slot in self.holds and slot not in self.recorded:
            self.recorded[slot] = min(amount, self.holds[slot].amount_micro_usd)
            self.books.record(self.holds[slot], self.recorded[slot])

    def settle(self, slot: int, amount: int) -> None:
        if slot in self.holds:
            self.books.resolve(self.holds.pop(slot), self.recorded.pop(slot, 0))

    def expire(self, slot: int, amount: int) -> None:
        self.books.ledger.expire_holds(self.books.now_ms, 10)
        for over in [slot for slot, hold in self.holds.items() if hold.expires_at_ms <= self.books.now_ms]:
            self.books.resolved(self.holds.pop(over), self.recorded.pop(over, 0))

    def wait(self, slot: int, amount: int) -> None:
        """Up to 29 days, so that days and months go by."""
        self.books.now_ms += amount * HOUR_MS

    def fits(self, move: Callable[[], object], amount: int) -> bool:
        """Make a move that takes money; it is refused for the cap alone, and only above it."""
        self.moves += 1
        before = self.books.counted()
        try:
            move()
        except (SpendingCapReachedError, HoldRefusedError):
            assert before + amount > 1000
            return False
        assert before + amount <= 1000
        return True


MOVES = st.lists(
    st.tuples(
        st.sampled_from(
            [Life.charge, Life.refund, Life.place, Life.record, Life.settle, Life.expire, Life.wait]
        ),
        st.integers(0, 2),
        st.integers(0, 700),
    ),
    max_size=16,
)


class TestLaw:
    @settings(max_examples=money_examples(20), suppress_health_check=list(HealthCheck), database=None)
    @given(MOVES, st.sampled_from(CapPeriod))
    def test_whatever_moves_happen_the_counter_is_the_sum_and_never_above_the_cap(
        self, aws: Aws, moves: list[tuple[Callable[[Life, int, int], None], int, int]], per: CapPeriod
    ) -> None:
        life = Life(aws, per)
        for move, slot, amount in moves:
            move(life, slot, amount)
            assert 0 <= life.books.counted() <= 1000
            assert life.books.agree()
