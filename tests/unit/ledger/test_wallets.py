"""The laws of money where an account has several rows, on a database with physics, in simulated time.

Requests come at random, to several processes, with workers that die, keys that have a cap, and money that
runs out; in every order that conflicts and throttles make of it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.account import BODY, MODEL, World
from tests.support.clock import ManualClock
from tests.support.laws import money_examples
from tests.support.losses import Losses
from tests.support.simulated import SimulatedLoop
from tests.unit.text.samples import choosing
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.dynamodb.core import DatabaseBusyError
from tollgate.kit.errors import StorageBusyError, UserNotFoundError
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import NONE
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.caps import Allowance, CapPeriod, SpendingCap
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import AccountSuspendedError, InsufficientBalanceError, SpendingCapReachedError
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS
from tollgate.ledger.wallets import (
    EARNED,
    OPEN,
    KnownLimits,
    Limits,
    merged_rows,
    share_of,
    wallet_row,
    wallets_for,
)
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import Demand, full_hold
from tollgate.text.money.placed import PlacedHold
from tollgate.text.usage import Usage

DEMAND, USAGE = Demand(100, 100), Usage(100, 60)
HOLD = full_hold(DEMAND, MODEL).amount_micro_usd
WALLETS = 5


class Bank(World):
    """A `World` whose account has wallets and so much money; what became of its requests."""

    def __init__(
        self, loop: SimulatedLoop, seed: int, balance_micro_usd: int, wallets: int = WALLETS
    ) -> None:
        limits = Limits(text_at_once=100 * wallets, requests_per_minute=10**5, wallets=wallets)
        super().__init__(loop, seed=seed, balance_micro_usd=balance_micro_usd, limits=limits)
        self.processes = [self.billing() for _ in range(3)]
        self.service = self.task_service()
        self.became: Counter[str] = Counter()
        self.least = 0
        self._call, self.dynamo.tables.call = self.dynamo.tables.call, self._watched  # type: ignore[method-assign]

    def _watched(self, operation: str, request: Any) -> Any:
        """Look at each row after each write."""
        answer = self._call(operation, request)
        if operation in {"UpdateItem", "TransactWriteItems"}:
            self.least = min(self.least, *(row["balance"] for row in self.rows()))
        return answer

    def rows(self) -> list[dict[str, int]]:
        """Return balance and number of holds of each row, now."""
        stored = self.dynamo.tables.rows["AccountsTable"].values()
        return [
            {"balance": int(row["balance_micro_usd"]["N"]), "holds": len(row["holds"]["M"])} for row in stored
        ]

    def entries(self) -> list[Entry]:
        """Return the account's ledger."""
        return list(self.ledger.entries(self.account_id))

    def total(self) -> int:
        """Return what all rows have, now, between two steps of anybody."""
        return sum(row["balance"] for row in self.rows())

    async def text(
        self, seconds: float, dies_at: str | None = None, allowance: Allowance | None = None
    ) -> None:
        """Make a text request, whose process may die at a step."""
        billing = self.random.choice(self.processes)
        try:
            placed = await billing.place(
                self.account_id, new_id("req"), choosing(DEMAND, MODEL), allowance, spender=NOBODY
            )
        except (InsufficientBalanceError, SpendingCapReachedError, DatabaseBusyError) as exc:
            self.became[type(exc).__name__] += 1
            return
        self.became["placed"] += 1
        await asyncio.sleep(seconds)
        if await self.settled(billing, placed, dies_at):
            self.became["settled"] += 1

    async def settled(self, billing: TextBilling, placed: PlacedHold, dies_at: str | None) -> bool:
        """Settle a text request, if its process does not die at a step; return whether it was settled."""
        if dies_at == "place":
            assert placed.timer is not None
            placed.timer.cancel()
            return False
        model = placed.routes.candidates[0].model
        settling = asyncio.ensure_future(billing.settle(placed, model, USAGE))
        if dies_at == "record":
            await asyncio.sleep(0.006)
            settling.cancel()
            return False
        await settling
        return True

    async def media(self) -> None:
        """Create a task."""
        try:
            await self.threads.run(
                lambda: self.service.create(self.account_id, BODY, None, key=None, attribution=NONE)
            )
        except (InsufficientBalanceError, StorageBusyError) as exc:
            self.became[type(exc).__name__] += 1
        else:
            self.became["created"] += 1


async def within_a_second(bank: Bank, works: Sequence[Coroutine[None, None, None]]) -> None:
    """Carry out everything, each from its own moment on."""

    async def later(work: Coroutine[None, None, None]) -> None:
        await asyncio.sleep(bank.random.random())
        await work

    await asyncio.gather(*map(later, works))


def carried_out(story: Callable[[SimulatedLoop], Coroutine[None, None, None]]) -> None:
    """Carry out a story in simulated time."""
    random.seed(1)  # the pauses before repeats are drawn from it
    loop, pool = SimulatedLoop(), ThreadPoolExecutor(100)
    loop.set_default_executor(pool)
    try:
        loop.run_until_complete(story(loop))
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
    finally:
        pool.shutdown()
        loop.close()


SEEDS = st.integers(0, 2**32)


@settings(max_examples=money_examples(25))
@given(
    seed=SEEDS,
    money=st.integers(0, 60),
    texts=st.lists(st.sampled_from([None, None, None, "place", "record"]), max_size=40),
    tasks=st.integers(0, 6),
    lost=st.sampled_from([0.0, 0.01, 0.05]),
)
def test_the_books_agree_whoever_dies_and_whatever_gets_lost_and_no_row_is_ever_negative(
    seed: int, money: int, texts: list[str | None], tasks: int, lost: float
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Bank(loop, seed, money * HOLD)
        await bank.open()
        bank.dynamo.losses = Losses(lost, seed)
        works = [bank.text(bank.random.random() * 3, dies_at) for dies_at in texts]
        await within_a_second(bank, [*works, *(bank.media() for _ in range(tasks))])
        assert await bank.threads.run(bank.proven)
        assert bank.least == 0
        # What the dead and late requests left behind is resolved by what the ledger says of it.
        await asyncio.sleep(max(HOLD_LIFETIME_MS, EMPTY_LIFETIME_MS) / 1_000 + 1)
        await bank.threads.run(lambda: bank.ledger.expire_holds(bank.clock.now_ms(), 100))
        assert sum(row["holds"] for row in bank.rows()) == 0
        assert await bank.threads.run(bank.proven)
        spent = sum(entry.amount_micro_usd for entry in await bank.threads.run(bank.entries))
        assert bank.total() == spent

    carried_out(story)


@settings(max_examples=money_examples(25))
@given(seed=SEEDS, money=st.integers(1, 25), wallets=st.integers(2, 12))
def test_as_many_requests_are_served_as_the_money_of_all_rows_pays_for(
    seed: int, money: int, wallets: int
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Bank(loop, seed, money * HOLD, wallets)
        await bank.open()
        # Some of it is in wallets by now, wherever chance had it.
        await within_a_second(bank, [bank.text(0.1) for _ in range(5)])
        has = bank.total() // HOLD
        bank.became.clear()
        # Nobody settles before everybody was served or refused.
        await within_a_second(bank, [bank.text(30) for _ in range(has + 5)])
        assert bank.became["placed"] == has
        assert bank.became["InsufficientBalanceError"] == 5

    carried_out(story)


@settings(max_examples=money_examples(15))
@given(seed=SEEDS, covered=st.integers(0, 8))
def test_a_cap_is_exact_while_others_spend_from_all_rows(seed: int, covered: int) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Bank(loop, seed, 1_000 * HOLD)
        await bank.open()
        await within_a_second(bank, [bank.text(0.1) for _ in range(10)])
        cap = SpendingCap(covered * HOLD, CapPeriod.DAY).at("key_1", bank.clock.now_ms())
        bank.became.clear()
        capped = [bank.text(30, allowance=cap) for _ in range(covered + 4)]
        await within_a_second(bank, [*capped, *(bank.text(30) for _ in range(20))])
        assert bank.became["SpendingCapReachedError"] == 4
        assert bank.became["placed"] == covered + 20
        assert bank.became["InsufficientBalanceError"] == 0

    carried_out(story)


def test_a_balance_is_whole_while_its_money_is_moved_about() -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Bank(loop, 1, 1_000 * HOLD)
        await bank.open()
        accounts, seen = AccountRepository(bank.blocking, "AccountsTable"), set()
        wallets = bank.processes[0]._wallets

        async def move() -> None:
            for _ in range(20):
                for wallet in range(1, WALLETS):
                    await wallets.fund(f"{bank.account_id}#{wallet}", WALLETS, HOLD)
                await wallets.gather(bank.account_id, WALLETS, 0)

        async def look() -> None:
            for _ in range(100):
                found = await bank.threads.run(lambda: accounts.get(bank.account_id))
                assert found is not None
                seen.add(found.balance_micro_usd)

        await asyncio.gather(move(), look())
        assert seen == {1_000 * HOLD}
        assert bank.dynamo.physics.refused["conflict"] > 0

    carried_out(story)


class TestLimits:
    def test_a_row_has_its_share_and_the_account_all_of_it(self) -> None:
        limits = Limits(text_at_once=400, requests_per_minute=1_001, wallets=20)
        assert limits.share() == Limits(text_at_once=20, requests_per_minute=51, wallets=20)
        assert limits.share().whole().text_at_once == 400

    def test_a_wallet_is_given_half_of_an_equal_share_or_nothing(self) -> None:
        # MIN_REQUESTS_PER_SHARE is 4: ten for each of ten wallets is enough for requests of 2, but not of 3.
        assert share_of(209, 10, 2) == 10
        assert share_of(160, 10, 2) == 8
        assert share_of(209, 10, 3) == 0

    @pytest.mark.parametrize(
        ("at_once", "wallets"), [(100, 1), (101, 6), (120, 6), (121, 7), (1_000, 50), (9_000, 50)]
    )
    def test_each_twenty_requests_above_the_default_have_a_row(self, at_once: int, wallets: int) -> None:
        assert wallets_for(at_once, 100) == wallets

    def test_a_wallet_is_empty_and_suspended_if_its_account_is(self) -> None:
        row = {
            "account_id": "usr_1#w01",
            "balance_micro_usd": 0,
            "open_tasks": 0,
            "running_tasks": 0,
            "holds": {},
            "limits": Limits().to_item(),
        }
        reason = {"reason": "why", "at_ms": 5}
        assert wallet_row("usr_1#w01", Limits(), {"balance_micro_usd": 7}) == row
        assert wallet_row("usr_1#w01", Limits(), {"suspended": reason}) == {**row, "suspended": reason}

    def test_the_rows_of_an_account_add_up(self) -> None:
        main = {"account_id": "usr_1", "balance_micro_usd": 5, "open_tasks": 1, "holds": {"a": 1}, EARNED: 2}
        first = {"balance_micro_usd": 7, "open_tasks": 2, "running_tasks": 4, "holds": {"b": 2}, OPEN: 3}
        second = {"balance_micro_usd": 1, "running_tasks": 2, "holds": {}, EARNED: 1}
        assert merged_rows([main, first, second]) == {
            "account_id": "usr_1",
            "balance_micro_usd": 13,
            "open_tasks": 3,
            "running_tasks": 6,
            "holds": {"a": 1, "b": 2},
            OPEN: 3,
            EARNED: 3,
        }
        assert merged_rows([main]) == main

    def test_what_is_read_with_them(self) -> None:
        assert Limits.of({}) == Limits(wallets=1, completes_answers=False)
        assert Limits.of({"wallets": 3, "completes_answers": True}) == Limits(
            wallets=3, completes_answers=True
        )

    def test_a_process_knows_them_for_a_minute(self) -> None:
        clock, limits = ManualClock(), Limits(text_at_once=7, wallets=3)
        known = KnownLimits(clock)
        assert known.get("usr_1") is None
        assert known.learn("usr_1", {"limits": limits.to_item(), "wallets": 3}) == limits
        clock.advance_ms(59_999)
        assert known.get("usr_1") == limits
        clock.advance_ms(1)
        assert known.get("usr_1") is None

    def test_an_account_keeps_the_rows_that_it_has(self) -> None:
        async def story(loop: SimulatedLoop) -> None:
            bank = Bank(loop, 1, 10 * HOLD)
            await bank.open()
            rows = bank.ledger.wallets
            fewer = Limits(text_at_once=100, wallets=WALLETS - 1)
            with pytest.raises(ValueError, match="keeps them"):
                await bank.threads.run(lambda: rows.set_limits(bank.account_id, fewer))
            with pytest.raises(UserNotFoundError):
                await bank.threads.run(lambda: rows.set_limits("usr_2", fewer))
            more = Limits(text_at_once=100, wallets=WALLETS + 2)
            await bank.threads.run(lambda: rows.set_limits(bank.account_id, more))
            assert len(await bank.threads.run(lambda: rows.rows(bank.account_id))) == WALLETS + 2

        carried_out(story)


class TestOperators:
    def test_a_suspended_account_spends_in_no_row_and_a_debit_takes_from_all(self) -> None:
        async def story(loop: SimulatedLoop) -> None:
            bank = Bank(loop, 1, 1_000 * HOLD)
            await bank.open()
            await within_a_second(bank, [bank.text(0.1) for _ in range(20)])
            assert sum(row["balance"] > 0 for row in bank.rows()) > 1
            await bank.threads.run(lambda: bank.ledger.suspend(bank.account_id, "why", 0))
            for _ in range(20):
                with pytest.raises(AccountSuspendedError):
                    await bank.text(0.1)
            await bank.threads.run(lambda: bank.ledger.resume(bank.account_id))
            await bank.text(0.1)
            amount = bank.total()
            entry = Entry(bank.account_id, "debit_1", EntryKind.DEBIT, -amount, bank.clock.now_ms())
            await bank.threads.run(lambda: bank.ledger.debit(entry))
            assert bank.total() == 0
            assert await bank.threads.run(bank.proven)

        carried_out(story)
