"""The proof: what it finds, what it reads, and that live traffic and late entries never make it cry wolf."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger import reader
from tollgate.ledger.audit import Tally
from tollgate.ledger.budgets import NO_BUDGETS, NOTHING_APPLIED
from tollgate.ledger.checkpoints import Checkpoints, Run
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import (
    MAX_DRIFTING_READS,
    REREAD_PAUSE_S,
    SETTLED_AFTER_MS,
    Checked,
    LedgerAudit,
    OutOfTimeError,
)

CENT = 10_000
HOUR_MS = 3_600_000


class Books:
    """One account with 1 000 cents, what moves its money, and the proof."""

    def __init__(self, aws: Aws, clock: ManualClock) -> None:
        self.refs = aws.stack.refs
        self.client = aws.clients.dynamodb
        self.clock = clock
        self.db = Database(self.client, sleep=lambda _: None)
        tables = self.refs["AccountsTable"], self.refs["LedgerTable"]
        self.ledger = LedgerRepository(self.db, *tables)
        self.holds = HoldWrites(*tables)
        self.checkpoints = Checkpoints(self.db, self.refs["CheckpointsTable"])
        self.audit = LedgerAudit(self.ledger, self.checkpoints, clock, sleep=lambda _: None)
        self.meter = RateMeter(600)
        self.id = api_parts.api().accounts.open(1000 * CENT).account_id
        self._tasks = 0

    def charge(self, cents: int = 1, *, refunded: bool = False) -> str:
        """Charge a task; give its id."""
        self._tasks += 1
        task_id, now_ms = f"task_{self._tasks:06d}", self.clock.now_ms()
        window = self.meter.guess(self.id, now_ms)
        entry = charge_entry(self.id, task_id, "m", cents * CENT, now_ms)
        self.db.transact(self.ledger.charge(entry.account_id, [entry], window, None, applied=NOTHING_APPLIED))
        self.meter.counted(self.id, window)
        if refunded:
            self.refund(task_id, cents)
        return task_id

    def refund(self, task_id: str, cents: int) -> None:
        now_ms = self.clock.now_ms()
        entry = refund_of(charge_entry(self.id, task_id, "m", cents * CENT, now_ms), now_ms)
        self.db.transact(self.ledger.close_task(self.id, entry, was_running=False))

    def place(self, request_id: str, amount: int) -> Hold:
        hold = Hold(request_id, amount, self.clock.now_ms() + HOLD_LIFETIME_MS)
        window = self.meter.guess(self.id, self.clock.now_ms())
        self.db.write(self.holds.place(self.id, hold, window, None, budgets=NO_BUDGETS))
        self.meter.counted(self.id, window)
        return hold

    def record(self, hold: Hold, charge: int) -> None:
        now_ms = self.clock.now_ms()
        entry = text_entry(
            self.id, hold.request_id, model="m", charge_micro_usd=charge, usage={}, now_ms=now_ms
        )
        self.db.write(self.holds.record(entry))

    def move_balance(self, change: int) -> None:
        """Change the balance behind the ledger's back."""
        self.client.update_item(
            TableName=self.refs["AccountsTable"],
            Key={"account_id": {"S": self.id}},
            UpdateExpression="SET balance_micro_usd = balance_micro_usd + :change",
            ExpressionAttributeValues={":change": {"N": str(change)}},
        )

    def post(self, entry: Entry) -> None:
        """Put a row into the ledger, and nothing else."""
        self.client.put_item(TableName=self.refs["LedgerTable"], Item=to_attributes(entry.to_item()))

    def check(self, *, full: bool = False) -> Checked:
        return self.audit.check(self.id, full=full)


@pytest.fixture
def books(aws: Aws, clock: ManualClock) -> Books:
    return Books(aws, clock)


class TestWell:
    def test_after_every_kind_of_movement_the_books_agree(self, books: Books) -> None:
        books.charge(30, refunded=True)
        books.charge(1)
        settled, open_one = books.place("req_1", 500), books.place("req_2", 700)
        books.record(settled, 200)
        books.db.write(books.holds.resolve(books.id, settled, 200))
        assert books.check().drift is None
        books.record(open_one, 100)  # recorded, not settled
        for full in (False, True):
            assert books.check(full=full).drift is None

    def test_an_account_that_is_gone_holds_nothing(self, books: Books) -> None:
        assert books.audit.check("usr_none").drift is None


class TestDrift:
    @pytest.mark.parametrize("change", [1, -1, 3 * CENT])
    @pytest.mark.parametrize("checked_before", [False, True])
    def test_a_balance_that_moved_without_an_entry(
        self, books: Books, change: int, checked_before: bool
    ) -> None:
        books.charge(5)
        books.clock.advance_ms(SETTLED_AFTER_MS + 1)
        if checked_before:
            assert books.check().drift is None
        books.move_balance(change)
        drift = books.check().drift
        assert drift is not None
        assert drift.amount_micro_usd == change
        assert drift.entry_id == "task_000001#charge"

    def test_is_read_again_after_a_pause_because_the_index_lags(self, books: Books) -> None:
        pauses: list[float] = []
        books.audit.sleep = pauses.append
        books.check()
        assert pauses == []
        books.move_balance(7)
        books.check()
        assert pauses == [REREAD_PAUSE_S] * (MAX_DRIFTING_READS - 1)

    def test_it_is_found_again_each_time_until_it_is_mended(self, books: Books) -> None:
        books.move_balance(7)
        found = [books.check() for _ in range(2)]
        assert [(each.drift is None, each.has_read_all) for each in found] == [(False, True)] * 2
        books.move_balance(-7)
        assert books.check().drift is None

    def test_a_row_without_its_money(self, books: Books) -> None:
        books.post(charge_entry(books.id, "task_x", "m", CENT, books.clock.now_ms()))
        drift = books.check().drift
        assert drift is not None
        assert drift.amount_micro_usd == CENT

    @pytest.mark.parametrize("later", [0, 2 * SETTLED_AFTER_MS])
    def test_a_refund_of_another_amount_than_a_charge_far_below_it(self, books: Books, later: int) -> None:
        task_id = books.charge(5)
        books.clock.advance_ms(later)
        assert books.check().drift is None
        books.refund(task_id, 6)
        books.clock.advance_ms(later)
        drift = books.check().drift
        assert drift is not None
        assert drift.unanswered_refunds == (f"{task_id}#refund",)

    def test_a_refund_on_another_page_than_its_charge_is_well(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reader, "LINES_AT_ONCE", 1)
        books.charge(3, refunded=True)
        assert books.check(full=True).drift is None

    def test_a_refund_of_a_charge_far_below_the_checkpoint_is_well(self, books: Books) -> None:
        task_id = books.charge(5)
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check().drift is None
        books.refund(task_id, 5)
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check().drift is None


class TestLiveTraffic:
    """Charges fall between the reads, at every look."""

    def between(self, books: Books, monkeypatch: pytest.MonkeyPatch, prices: Iterator[int]) -> None:
        """Let a charge be made in the middle of each look, before the ledger is read."""
        for name in ("lines_by_id", "lines_by_time"):
            read = getattr(books.ledger, name)

            def reads(*asked: object, _read: Callable[..., object] = read) -> object:
                for cents in prices:
                    books.charge(cents)
                    break
                return _read(*asked)

            monkeypatch.setattr(books.ledger, name, reads)

    @pytest.mark.parametrize("prices", [[1], [1, 2], [1, 2, 3, 4, 5], [1] * 30, list(range(1, 21))])
    @pytest.mark.parametrize("full", [False, True])
    def test_no_drift(
        self, books: Books, monkeypatch: pytest.MonkeyPatch, prices: list[int], full: bool
    ) -> None:
        self.between(books, monkeypatch, iter(prices))
        assert books.check(full=full).drift is None

    @pytest.mark.parametrize("off", [0, 1])
    def test_a_budget_is_proved_too(self, books: Books, monkeypatch: pytest.MonkeyPatch, off: int) -> None:
        main, read = "bud_1#2026-11#0#all", books.ledger.lines_by_id

        class Counters:
            def counters(self, *_: object) -> dict[str, int]:
                return {main: 2 * CENT + off}

        def reads(account_id: str) -> object:
            books.charge()
            return read(account_id)

        entry = charge_entry(books.id, "task_b", "m", 2 * CENT, books.clock.now_ms(), budgets=[main])
        window = books.meter.guess(books.id, books.clock.now_ms())
        books.db.transact(books.ledger.charge(books.id, [entry], window, None, applied=NOTHING_APPLIED))
        books.meter.counted(books.id, window)
        books.audit.budgets = Counters()
        monkeypatch.setattr(books.ledger, "lines_by_id", reads)
        checked = books.check(full=True)
        assert checked.is_proven
        assert (checked.drift.budgets if checked.drift else {}) == ({main: off} if off else {})

    def test_one_that_never_stands_still_is_not_proven_and_not_accused(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.between(books, monkeypatch, iter([1] * 1000))
        checked = books.check()
        assert (checked.drift, checked.is_proven) == (None, False)

    def test_a_real_drift_is_found_under_traffic(self, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
        books.move_balance(7)
        self.between(books, monkeypatch, iter([1] * 4))
        drift = books.check().drift
        assert drift is not None
        assert drift.amount_micro_usd == 7

    def test_two_drifts_that_differ_are_none(self, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
        changes = iter([5, 6, 7, 8, 9])
        prove = LedgerAudit._prove_all

        def moved(audit: LedgerAudit, *asked: object) -> object:
            books.move_balance(next(changes))
            return prove(audit, *asked)  # type: ignore[arg-type]

        monkeypatch.setattr(LedgerAudit, "_prove_all", moved)
        checked = books.check(full=True)
        assert (checked.drift, checked.is_proven) == (None, False)


class TestCheckpoint:
    def test_only_what_is_new_is_read(self, books: Books) -> None:
        for _ in range(5):
            books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check() == Checked(books.id, 6, None)
        assert books.check() == Checked(books.id, 0, None)
        books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check() == Checked(books.id, 1, None)
        assert books.check(full=True) == Checked(books.id, 7, None)
        tally = books.checkpoints.get(books.id)
        assert (tally.entries, tally.amount_micro_usd) == (7, 1000 * CENT - 6 * CENT)

    @pytest.mark.parametrize("full", [False, True])
    def test_it_is_of_a_time_after_which_no_entry_comes(self, books: Books, full: bool) -> None:
        assert books.check(full=full).drift is None
        found = books.checkpoints.get(books.id)
        assert found.through_ms == books.clock.now_ms() - SETTLED_AFTER_MS

    @pytest.mark.parametrize("full", [False, True])
    def test_it_has_the_entries_of_its_last_millisecond(self, books: Books, full: bool) -> None:
        books.charge()
        books.clock.advance_ms(SETTLED_AFTER_MS)
        assert books.check(full=full) == Checked(books.id, 2, None)
        assert books.checkpoints.get(books.id).entries == 2

    def test_all_of_its_sums_are_kept(self, books: Books) -> None:
        assert books.checkpoints.get(books.id) == Tally()
        tally = Tally(through_ms=1, entries=2, amount_micro_usd=3, markup_micro_usd=4)
        books.checkpoints.put(books.id, tally)
        assert books.checkpoints.get(books.id) == tally
        # A row of the time before sub-accounts.
        row = {"account_id": books.id, "through_ms": 1, "entries": 2, "amount_micro_usd": 3}
        books.db.write(Write(books.refs["CheckpointsTable"], item=row))
        assert books.checkpoints.get(books.id) == replace(tally, markup_micro_usd=0)

    def test_what_is_not_old_enough_is_read_again(self, books: Books) -> None:
        books.charge()
        books.clock.advance_ms(SETTLED_AFTER_MS // 2)
        assert books.check().entries == books.check().entries == 2
        assert books.checkpoints.get(books.id).entries == 0

    def test_nothing_is_kept_of_books_that_do_not_agree(self, books: Books) -> None:
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        books.move_balance(1)
        assert books.check().drift is not None
        assert books.checkpoints.get(books.id) == Tally()

    def test_an_entry_that_comes_late_below_the_checkpoint_is_no_drift(self, books: Books) -> None:
        """Its writer hung, or its clock is behind: hours, on an operator's machine."""
        books.clock.advance_ms(24 * HOUR_MS)
        assert books.check().drift is None
        earlier_ms = books.clock.now_ms() - 5 * HOUR_MS
        books.ledger.credit(Entry(books.id, "ticket-1", EntryKind.CREDIT, CENT, earlier_ms))
        checked = books.check()
        # So it is searched for in all sealed days.
        assert (checked.drift, checked.has_read_all) == (None, True)
        # It is in the new checkpoint, so the next proof is a short one.
        assert books.check() == Checked(books.id, 0, None)

    def test_an_entry_of_a_clock_that_is_ahead_is_counted_when_it_is_there(self, books: Books) -> None:
        later_ms = books.clock.now_ms() + 5 * HOUR_MS
        books.ledger.credit(Entry(books.id, "ticket-1", EntryKind.CREDIT, CENT, later_ms))
        for _ in range(8):
            assert books.check().drift is None
            books.clock.advance_ms(HOUR_MS)

    def test_only_entries_since_the_checkpoint_are_read_even_if_some_are_of_this_moment(
        self, books: Books
    ) -> None:
        books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check().drift is None
        books.charge()
        assert books.check() == Checked(books.id, 1, None)

    def test_a_row_that_went_missing_below_the_checkpoint_is_found_in_full(self, books: Books) -> None:
        books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        assert books.check().drift is None
        key = {"account_id": {"S": books.id}, "entry_id": {"S": "task_000001#charge"}}
        books.client.delete_item(TableName=books.refs["LedgerTable"], Key=key)
        assert books.check().drift is None
        drift = books.check(full=True).drift
        assert drift is not None
        assert drift.amount_micro_usd == -CENT


class TestTime:
    def test_what_was_read_when_time_ran_out_is_not_read_again(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reader, "LINES_AT_ONCE", 3)
        for _ in range(10):
            books.clock.advance_ms(1)
            books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        tries = 0
        while True:
            turns = iter([True, False])
            tries += 1
            try:
                checked = books.audit.check(books.id, has_time=lambda: next(turns, False))  # noqa: B023
            except OutOfTimeError:
                assert tries < 10
                continue
            break
        assert tries > 1
        assert (checked.drift, checked.has_read_all) == (None, False)
        assert books.checkpoints.get(books.id).entries == 11

    def test_a_run_goes_on_where_it_ended(self, books: Books) -> None:
        ids = {books.id} | {api_parts.api().accounts.open(CENT).account_id for _ in range(3)}
        books.move_balance(1)
        turns = iter([True, True])
        first = books.audit.begin(lambda: next(turns, False))
        assert not first.done
        assert 0 < first.accounts < len(ids)
        last = books.audit.continue_last_run()
        assert last is not None
        assert (last.done, last.accounts, last.drifts) == (True, len(ids), 1)
        assert books.audit.continue_last_run() is None

    def test_a_run_whose_time_is_over_within_an_account_does_not_count_it(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reader, "LINES_AT_ONCE", 3)
        for _ in range(10):
            books.clock.advance_ms(10)
            books.charge()
        books.clock.advance_ms(2 * SETTLED_AFTER_MS)
        turns = iter([True])
        assert books.audit.begin(lambda: next(turns, False)) == Run()

    @pytest.mark.parametrize(
        ("failure", "unsealed"), [(OutOfTimeError(), None), (LookupError("torn"), 1)], ids=["time", "seal"]
    )
    def test_a_seal_without_time_is_made_by_the_next_run_and_a_broken_one_counts(
        self, books: Books, failure: Exception, unsealed: int | None
    ) -> None:
        class Sealer:
            def seal(self, *_: object, everything: bool = False) -> None:
                raise failure

        books.audit.sealer = Sealer()
        expected = Run() if unsealed is None else Run(books.id, 1, 1, 0, 0, unsealed, done=True)
        assert books.audit.begin() == expected

    def test_a_sealed_account_is_exported(self, books: Books) -> None:
        class Sealer:
            def seal(self, *_: object, everything: bool = False) -> None:
                pass

        exported: list[str] = []
        books.audit.sealer = Sealer()
        assert books.audit.begin().unsealed == 0
        books.audit.export = exported.append
        assert (books.audit.begin().unsealed, exported) == (0, [books.id])

    def test_before_the_first_run_there_is_none_to_go_on_with(self, books: Books) -> None:
        assert books.audit.continue_last_run() is None

    def test_a_new_run_begins_at_the_first_account(self, books: Books) -> None:
        assert books.audit.begin(lambda: False) == Run()
        assert books.audit.begin() == Run(books.id, accounts=1, entries=1, done=True)
