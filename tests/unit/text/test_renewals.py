"""A long stream and a database that is away when its hold is to be renewed. In simulated time."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import pytest

from tests.bench.account import DEMAND, MODEL, USAGE, World
from tests.support.simulated import SimulatedLoop
from tests.unit.text.samples import choosing
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.async_database import PATIENCE
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id
from tollgate.ledger.holds import (
    HOLD_LIFETIME_MS,
    MAX_RENEWAL_FAILURES,
    RENEW_AFTER_MS,
    RENEWAL_RETRY_MS,
    holds_of,
)
from tollgate.ledger.wallets import Limits
from tollgate.text.money.placed import PlacedHold

REQUEST = "req_01M81VJ6AEDTJ68M4TNHBHFDSH"
DUE_S = RENEW_AFTER_MS / MS_PER_S
LIFETIME_S = HOLD_LIFETIME_MS / MS_PER_S
SWEEP_S = 60
TRIED_FOR_S = 2
"""At most, the requests of one try."""


def simulated(story: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    with closing(SimulatedLoop()) as loop, ThreadPoolExecutor(2) as pool:
        loop.set_default_executor(pool)

        async def told() -> None:
            world = World(loop, has_physics=False, balance_micro_usd=100_000, limits=Limits())
            await world.open()
            await story(world)

        loop.run_until_complete(told())


class Outage:
    """A database that cannot be reached for some time; `waits_s` is how long a request takes to fail."""

    def __init__(self, world: World, begins_s: float, lasts_s: float, waits_s: float = 0) -> None:
        self.renewals = 0
        self._call = world.dynamo.call
        self._loop, self._waits_s = world.loop, waits_s
        self._begins_s = world.loop.time() + begins_s
        self._ends_s = self._begins_s + lasts_s
        world.dynamo.call = self.call  # type: ignore[method-assign]

    async def call(self, operation: str, request: Any) -> Any:
        if not self._begins_s <= self._loop.time() < self._ends_s:
            return await self._call(operation, request)
        self.renewals += operation == "UpdateItem"
        await asyncio.sleep(self._waits_s)
        raise ConnectionError


async def lasted(world: World, seconds: int) -> PlacedHold:
    """Place a hold and let the request run, while the sweeper comes by every minute."""
    placed = await world.billing().place(
        world.account_id, REQUEST, choosing(DEMAND, MODEL), None, spender=NOBODY
    )
    for _ in range(seconds // SWEEP_S):
        await asyncio.sleep(SWEEP_S)
        # The sweeper cannot reach the database either, and comes again a minute later.
        with suppress(ConnectionError):
            await world.threads.run(lambda: world.ledger.expire_holds(world.clock.now_ms(), 10))
    return placed


async def held(world: World) -> int:
    row = await world.threads.run(lambda: world.ledger.account_row(world.account_id))
    return len(holds_of(row))


class TestADatabaseThatIsAway:
    @pytest.mark.parametrize("waits_s", [0, 1.0])
    @pytest.mark.parametrize("lasts_s", [5, 10, 30, LIFETIME_S - DUE_S - 6])
    @pytest.mark.parametrize("begins_s", [DUE_S - 1, DUE_S - 3])
    def test_costs_no_stream_its_hold(self, begins_s: float, lasts_s: float, waits_s: float) -> None:
        async def story(world: World) -> None:
            outage = Outage(world, begins_s, lasts_s, waits_s)
            billing = world.billing()
            placed = await lasted(world, 240)
            assert outage.renewals
            assert await held(world) == 1
            billed = await billing.settle(placed, MODEL, USAGE)
            assert billed.shortfall_micro_usd == 0
            entries = await world.threads.run(lambda: list(world.ledger.entries(world.account_id)))
            (charge,) = (entry for entry in entries if entry.kind is not EntryKind.CREDIT)
            assert (charge.entry_id, charge.kind) == (text_entry_id(REQUEST), EntryKind.TEXT)
            assert await held(world) == 0
            assert await world.threads.run(world.proven)

        simulated(story)

    def test_at_each_renewal_of_a_long_stream(self) -> None:
        async def story(world: World) -> None:
            for turn in range(1, 7):
                Outage(world, turn * DUE_S - 5, 10)
            await lasted(world, 14 * 60)
            assert await held(world) == 1

        simulated(story)

    def test_for_longer_is_given_up_and_billed_late(self) -> None:
        async def story(world: World) -> None:
            outage = Outage(world, 1, 10 * 60)
            billing = world.billing()
            placed = await billing.place(
                world.account_id, REQUEST, choosing(DEMAND, MODEL), None, spender=NOBODY
            )
            await asyncio.sleep(11 * 60)
            assert outage.renewals == MAX_RENEWAL_FAILURES * PATIENCE.unanswered
            await world.threads.run(lambda: world.ledger.expire_holds(world.clock.now_ms(), 10))
            assert await held(world) == 0
            await billing.settle(placed, MODEL, USAGE)
            entries = await world.threads.run(lambda: list(world.ledger.entries(world.account_id)))
            assert late_entry_id(REQUEST) in {entry.entry_id for entry in entries}
            assert await world.threads.run(world.proven)

        simulated(story)

    @pytest.mark.parametrize("ends", ["settle", "void"])
    def test_is_not_asked_for_a_request_that_is_over(self, ends: str) -> None:
        async def story(world: World) -> None:
            billing = world.billing()
            placed = await billing.place(
                world.account_id, REQUEST, choosing(DEMAND, MODEL), None, spender=NOBODY
            )
            outage = Outage(world, DUE_S - 1, 5)
            await asyncio.sleep(DUE_S + 6)
            await (billing.void(placed) if ends == "void" else billing.settle(placed, MODEL, USAGE))
            asked, after = outage.renewals, Outage(world, 0, 20 * 60)
            await asyncio.sleep(20 * 60)
            assert asked
            assert after.renewals == 0

        simulated(story)


class TestTheBounds:
    def test_all_tries_of_a_renewal_take_at_least_what_is_left_of_the_hold(self) -> None:
        assert MAX_RENEWAL_FAILURES * RENEWAL_RETRY_MS >= HOLD_LIFETIME_MS - RENEW_AFTER_MS

    def test_a_try_comes_soon_enough_to_be_made_several_times(self) -> None:
        assert (LIFETIME_S - DUE_S) / (RENEWAL_RETRY_MS / MS_PER_S + TRIED_FOR_S) >= 10
