"""The laws of sub-accounts, on a database with physics and lost answers, in simulated time."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.account import BODY, MODEL
from tests.support.laws import money_examples
from tests.support.losses import Losses
from tests.support.simulated import SimulatedLoop
from tests.unit.ledger.test_wallets import DEMAND, HOLD, SEEDS, USAGE, Bank, carried_out, within_a_second
from tests.unit.text.samples import choosing
from tollgate.accounts.repository import AccountRepository
from tollgate.accounts.service import new_account
from tollgate.kit.dynamodb.core import DatabaseBusyError, WriteConflictError
from tollgate.kit.errors import ConcurrencyLimitedError, StorageBusyError
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import NONE
from tollgate.ledger.audit import Drift, EntrySums, compare
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import NOBODY, Budgets, StaleBudgetsError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.families import MOVE_INTERVAL_MS, Transfer, markup_of
from tollgate.ledger.family_repository import AlreadyTransferredError, FamilyRepository
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS, holds_of
from tollgate.ledger.wallets import EARNED, OPEN
from tollgate.tasks.lifecycle import End
from tollgate.tasks.models import TaskStatus
from tollgate.tasks.repository import StaleTaskError, TaskRepository
from tollgate.text.money.metering import charge_micro_usd

ACCOUNTS, LEDGER, BUDGETS = "AccountsTable", "LedgerTable", "BudgetsTable"
BUSY = (DatabaseBusyError, StorageBusyError, WriteConflictError, ConcurrencyLimitedError)
PAID = 2_000 * HOLD
# Tollgate's own price of each text request here.
OWN_PRICE = charge_micro_usd(USAGE, MODEL)
# The price of `z-image` in the catalog.
IMAGE_PRICE = 10_000


class Family(Bank):
    """A `Bank` whose account is a sub-account with so much money of its parent, which has `PAID` in all."""

    def __init__(self, loop: SimulatedLoop, seed: int, money: int, wallets: int = 2) -> None:
        super().__init__(loop, seed, money, wallets)
        self.parent_id = ""
        self.families = FamilyRepository(self.blocking, ACCOUNTS, LEDGER)
        self.budgets = BudgetRepository(self.blocking, ACCOUNTS, BUDGETS)
        self.ends = self.finalizer()

    def _open(self, account: Any) -> None:
        parent, now_ms = new_account(self.clock.now_ms()), self.clock.now_ms()
        self.parent_id = parent.account_id
        accounts = AccountRepository(self.blocking, ACCOUNTS)
        accounts.add(parent)
        child = replace(account, parent=self.parent_id)
        self.blocking.transact(
            [accounts.new(child), self.budgets.first(self.account_id, Budgets(markup_percent=30))]
        )
        credit = Entry(self.parent_id, new_id("credit"), EntryKind.CREDIT, PAID, now_ms)
        self.ledger.credit(credit)
        if self._balance_micro_usd:
            self.families.transfer(
                Transfer(self.parent_id, self.account_id, self._balance_micro_usd, "first"), now_ms
            )
        self.ledger.wallets.set_limits(self.account_id, self._limits)

    async def reply(self, seconds: float, dies_at: str | None) -> None:
        """Make a text request of the sub-account, whose process may die at a step."""
        billing = self.random.choice(self.processes)
        try:
            placed = await billing.place(
                self.account_id, new_id("req"), choosing(DEMAND, MODEL), None, spender=NOBODY
            )
        except (InsufficientBalanceError, DatabaseBusyError):
            return
        await asyncio.sleep(seconds)
        await self.settled(billing, placed, dies_at)

    async def generate(self, ends_as: TaskStatus | None) -> None:
        """Create a task of the sub-account, and end it."""
        tasks = TaskRepository(self.blocking, "TasksTable")

        def create() -> None:
            with suppress(InsufficientBalanceError, *BUSY):
                made = self.service.create(self.account_id, BODY, None, key=None, attribution=NONE)
                if ends_as is not None:
                    task = tasks.get(made["taskId"])
                    assert task is not None
                    ended = replace(task, seq=task.seq + 1, status=ends_as, wake_at_ms=None)
                    with suppress(StaleTaskError):
                        self.ends.end(End(ended), was_running=False)

        await self.threads.run(create)

    async def move(self, amount: int, key: str) -> None:
        """Move money to the sub-account or back, and repeat it as a customer does."""

        def transfer() -> None:
            moved = Transfer(self.parent_id, self.account_id, amount, key)
            for _ in range(2):
                with suppress(InsufficientBalanceError, AlreadyTransferredError, *BUSY):
                    self.families.transfer(moved, self.clock.now_ms())

        await self.threads.run(transfer)

    async def mark_up(self, percent: int) -> None:
        """Change the mark-up."""

        def change() -> None:
            read = self.budgets.read(self.account_id)
            with suppress(StaleBudgetsError, *BUSY):
                self.budgets.change(self.account_id, read, replace(read, markup_percent=percent))

        await self.threads.run(change)

    async def sweep(self) -> None:
        """Resolve expired holds, and move mark-up."""

        def expire() -> None:
            with suppress(*BUSY):
                self.ledger.expire_holds(self.clock.now_ms(), 100)

        await self.threads.run(expire)

    def drift(self, account_id: str) -> Drift | None:
        """Return the drift of an account by all entries, and by the entries of its family."""
        reading = EntrySums()
        for lines, wrong in self.ledger.lines_by_id(account_id):
            reading.add(lines, wrong)
        row = self.ledger.account_row(account_id)
        assert row is not None
        return compare(
            account_id, row["balance_micro_usd"], holds_of(row), reading, markup_micro_usd=markup_of(row)
        )

    def counters(self) -> list[int]:
        """Return the counters of mark-up in all rows, now."""
        stored = self.dynamo.tables.rows[ACCOUNTS].values()
        return [int(row[name]["N"]) for row in stored for name in (OPEN, EARNED) if name in row]

    def check(self) -> None:
        """Check the laws when nobody does anything."""
        entries = [*self.ledger.entries(self.parent_id), *self.ledger.entries(self.account_id)]
        assert (self.drift(self.parent_id), self.drift(self.account_id)) == (None, None)
        assert self.least == 0 <= min(self.counters(), default=0)
        charges = (EntryKind.TEXT, EntryKind.CHARGE, EntryKind.REFUND)
        own = [
            -each.amount_micro_usd - (each.markup_micro_usd or 0) for each in entries if each.kind in charges
        ]
        assert all(each.answers or price in (OWN_PRICE, IMAGE_PRICE) for each, price in self._priced(entries))
        assert self.total() + sum(self.counters()) == PAID - sum(own)

    @staticmethod
    def _priced(entries: Sequence[Entry]) -> list[tuple[Entry, int]]:
        """Return each charge with Tollgate's own part of it."""
        charges = (EntryKind.TEXT, EntryKind.CHARGE)
        return [
            (each, -each.amount_micro_usd - (each.markup_micro_usd or 0))
            for each in entries
            if each.kind in charges
        ]


ENDS = st.sampled_from([None, TaskStatus.FINISHED, TaskStatus.FAILED, TaskStatus.EXPIRED])


@settings(max_examples=money_examples(25))
@given(
    seed=SEEDS,
    money=st.integers(0, 60),
    texts=st.lists(st.sampled_from([None, None, None, "place", "record"]), max_size=25),
    tasks=st.lists(ENDS, max_size=6),
    moves=st.lists(st.integers(-20, 20).filter(bool), max_size=6),
    percents=st.lists(st.integers(0, 120), max_size=3),
    lost=st.sampled_from([0.0, 0.01, 0.05]),
)
def test_the_money_of_a_family_is_its_payments_less_tollgates_prices(
    seed: int,
    money: int,
    texts: list[str | None],
    tasks: list[TaskStatus | None],
    moves: list[int],
    percents: list[int],
    lost: float,
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Family(loop, seed, money * HOLD)
        await bank.open()
        bank.dynamo.losses = Losses(lost, seed)
        works = [
            *(bank.reply(bank.random.random() * 3, dies_at) for dies_at in texts),
            *(bank.generate(ends_as) for ends_as in tasks),
            *(bank.move(amount * HOLD, f"move {n}") for n, amount in enumerate(moves)),
            *(bank.mark_up(percent) for percent in percents),
            *(bank.sweep() for _ in range(2)),
        ]
        await within_a_second(bank, works)
        await asyncio.sleep(max(HOLD_LIFETIME_MS, EMPTY_LIFETIME_MS) / 1_000 + 1)
        await bank.sweep()
        await bank.threads.run(bank.check)
        # Everything that was earned has moved to the parent.
        bank.dynamo.losses = Losses(0.0, seed)
        for _ in range(3):
            await asyncio.sleep(MOVE_INTERVAL_MS / 1_000)
            await bank.sweep()
        await bank.threads.run(bank.check)
        row = await bank.threads.run(lambda: bank.ledger.account_row(bank.account_id))
        assert row.get(EARNED, 0) == 0

    carried_out(story)


@pytest.mark.parametrize("percent", [0, 1, 33, 250])
def test_a_sub_account_pays_the_marked_up_price_rounded_once(percent: int) -> None:
    marked = charge_micro_usd(USAGE, MODEL.marked_up(percent))
    exact = MODEL.prices.input * USAGE.input_tokens + MODEL.prices.output * USAGE.output_tokens
    assert 0 <= marked - exact * (100 + percent) / 100 < 1
