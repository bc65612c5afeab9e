"""`make bench-account`: how much one account can do, on a DynamoDB with and without physics.

The services that ship (`TextBilling`, `TaskService`, `TaskFinalizer`) on tables in memory, in simulated time
(`tests/support/database.py`), so a busy machine gives the same figures. A rate is sustained where every
request is served, and 99 of 100 holds or creates within `PATIENCE_S`.

- *text* places a hold, waits as long as the provider answers, records and settles; *one budget*: each request
  counts in the same budget of the account.
- *creates* are charged and queued; *tasks* are started and ended as well, each step after a second.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from decimal import Decimal
from io import StringIO
from random import Random
from statistics import quantiles
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench import machine
from tests.bench.cost.units import size_of
from tests.support.database import BlockingClient, SimulatedClock, SimulatedDynamo
from tests.support.simulated import SimulatedLoop, Threads
from tests.unit.text.samples import choosing
from tollgate.accounts.repository import AccountRepository
from tollgate.accounts.service import new_account
from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.uploads import Uploads
from tollgate.catalog.loader import Catalog
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger
from tollgate.ledger.attribution import NONE
from tollgate.ledger.audit import audit
from tollgate.ledger.budget_mover import BudgetMover
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budget_writes import BudgetWrites
from tollgate.ledger.budgets import NOBODY, Budget, BudgetPeriod
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import MAX_HOLDS, holds_of
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.wallets import KnownLimits, Limits, wallets_for
from tollgate.providers.runtime.registry import MappingNames
from tollgate.tasks.charges import TaskCharges
from tollgate.tasks.finalizer import TaskFinalizer
from tollgate.tasks.idempotency import IdempotencyStore
from tollgate.tasks.lifecycle import End
from tollgate.tasks.models import Attempt, Task, TaskStatus
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.service import TaskService
from tollgate.text.models import TextModel, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import Demand
from tollgate.text.usage import Usage
from tollgate.webhooks.repository import DeliveryRepository

RATES = {
    0.3: (10, 25, 50, 100, 150, 200, 250, 300, 400),
    1.0: (10, 25, 50, 75, 100, 150, 200, 300),
    10.0: (2, 5, 10, 20, 30, 40, 50, 60),
    30.0: (1, 2, 3, 5, 10, 13, 16, 20),
}
"""Requests per second that are tried, by seconds that the provider takes."""
CREATES = (5, 10, 20, 30, 40, 60, 80, 100)
STEADY_S = 4.0
PATIENCE_S = 0.5
LIFE_S = 1.0
PROCESSES = 50
"""As many as Lambda would have at least; each knows what it has seen itself."""
THREADS = 400
UNLIMITED = 999_999
"""Requests per minute: what is looked for is what the rows bear."""
BALANCE_MICRO_USD = 10**12
LIMITS = Limits(
    text_at_once=480,
    requests_per_minute=24 * UNLIMITED,
    running_tasks=1_200,
    open_tasks=120_000,
    wallets=wallets_for(480, MAX_HOLDS),
)
"""As `tollgate accounts limits` would give them to an account that is the whole service."""
MODEL = TextModel(
    "gpt-5.4-mini",
    frozenset({TextProtocol.OPENAI}),
    (TextRoute("openai", "gpt-5.4-mini", TextProtocol.OPENAI),),
    TokenPrices(Decimal("0.75"), Decimal("4.5")),
    400_000,
    128_000,
)
DEMAND, USAGE = Demand(2_000, 4_000), Usage(1_500, 600)
BODY = {"model": "z-image", "input": {"prompt": "a fox", "size": "1:1"}}
NOTHING: Any = None
"""What no request here comes to: files, probes."""


@dataclass
class Outcome:
    """What became of the requests at one rate."""

    rate: float
    served: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    waits_s: list[float] = field(default_factory=list)
    """Of the writes before a provider is asked."""
    at_once: int = 0
    row_bytes: int = 0
    """The largest row of the account."""
    write_units: float = 0.0
    """Of a request."""
    physics: Counter[str] = field(default_factory=Counter)

    @property
    def is_sustained(self) -> bool:
        """Return whether all were served, and soon."""
        return not self.refused and quantiles(self.waits_s, n=100)[-1] <= PATIENCE_S


class World:
    """One account, with money, in a simulated DynamoDB."""

    def __init__(
        self,
        loop: SimulatedLoop,
        *,
        has_physics: bool = True,
        seed: int = 1,
        balance_micro_usd: int = BALANCE_MICRO_USD,
        limits: Limits | None = None,
    ) -> None:
        self.loop = loop
        self.threads = Threads(loop)
        self.dynamo = SimulatedDynamo(seed, has_physics=has_physics)
        self.clock = SimulatedClock(loop)
        self.random = Random(seed)  # noqa: S311 - not a secret
        self._balance_micro_usd = balance_micro_usd
        self._limits = limits or LIMITS
        self.blocking = Database(BlockingClient(self.dynamo, self.threads), self.threads.sleep)  # type: ignore[arg-type]
        self.ledger = LedgerRepository(self.blocking, "AccountsTable", "LedgerTable", "BudgetsTable")
        self.account_id = ""
        self._at_once = 0

    async def open(self) -> None:
        """Open the account."""
        account = new_account(self.clock.now_ms())
        self.account_id = account.account_id
        await self.threads.run(lambda: self._open(account))

    def _open(self, account: Any) -> None:
        AccountRepository(self.blocking, "AccountsTable").add(account)
        entry = Entry(
            self.account_id, new_id("credit"), EntryKind.CREDIT, self._balance_micro_usd, self.clock.now_ms()
        )
        self.ledger.credit(entry)
        self.ledger.wallets.set_limits(self.account_id, self._limits)

    async def limit(self, *limits_micro_usd: int) -> None:
        """Give the account budgets that count each request."""
        repository = BudgetRepository(self.blocking, "AccountsTable", "BudgetsTable")
        budgets = tuple(
            Budget(new_id("bud"), "all", "account", limit, BudgetPeriod.MONTH) for limit in limits_micro_usd
        )

        def change() -> None:
            read = repository.read(self.account_id)
            repository.change(self.account_id, read, replace(read, budgets=budgets))

        await self.threads.run(change)

    def billing(self) -> TextBilling:
        """Return the billing of one process."""
        database = AsyncDatabase(self.dynamo)  # type: ignore[arg-type]
        writes = HoldWrites("AccountsTable", "LedgerTable", "BudgetsTable")
        return TextBilling(database, writes, self.clock, RateMeter(UNLIMITED))

    def task_service(self) -> TaskService:
        """Return the service of one process."""
        tasks = TaskRepository(self.blocking, "TasksTable")
        return TaskService(
            tasks=tasks,
            ledger=self.ledger,
            idempotency=IdempotencyStore("IdempotencyTable", self.blocking.get),
            catalog=CATALOG,
            webhook_guard=AddressGuard(),
            prober=_NoProbes(),
            inputs=InputStore(NOTHING, "bucket", "https://files.test", Uploads(NOTHING, "", "", self.clock)),
            reader=TaskReader(tasks, CATALOG, str),
            charges=TaskCharges(
                tasks,
                self.ledger,
                RateMeter(UNLIMITED),
                KnownLimits(self.clock),
                BudgetMover(self.blocking, BudgetWrites("BudgetsTable")),
            ),
            queue=NOTHING,
            clock=self.clock,
        )

    def finalizer(self) -> TaskFinalizer:
        """Return what ends tasks."""
        tasks = TaskRepository(self.blocking, "TasksTable")
        deliveries = DeliveryRepository(self.blocking, "DeliveriesTable")
        return TaskFinalizer(tasks, self.ledger, deliveries, _Sent(), self.clock)  # type: ignore[arg-type]

    def proven(self) -> bool:
        """Return whether the account's books agree."""
        row = self.ledger.account_row(self.account_id)
        assert row is not None
        entries = self.ledger.entries(self.account_id)
        return audit(self.account_id, row["balance_micro_usd"], entries, holds_of(row)) is None

    async def serve(
        self, rate: float, seconds: float | None, request: Callable[[int, Outcome], Awaitable[None]]
    ) -> Outcome:
        """Make so many requests a second at random times, or all at once; return what became of them."""
        outcome = Outcome(rate)
        units = self.dynamo.tables.units
        watch = asyncio.ensure_future(self._watch(outcome))
        running = []
        for n in range(int(rate * (1 if seconds is None else seconds))):
            await asyncio.sleep(0 if seconds is None else self.random.expovariate(rate))
            running.append(asyncio.ensure_future(self._one(n, outcome, request)))
        await asyncio.gather(*running)
        watch.cancel()
        outcome.write_units = (self.dynamo.tables.units - units) / max(1, outcome.served)
        outcome.physics = self.dynamo.physics.refused
        return outcome

    async def _one(
        self, n: int, outcome: Outcome, request: Callable[[int, Outcome], Awaitable[None]]
    ) -> None:
        self._at_once += 1
        outcome.at_once = max(outcome.at_once, self._at_once)
        try:
            await request(n, outcome)
            outcome.served += 1
        except Exception as exc:  # noqa: BLE001 - counted by name
            outcome.refused[type(exc).__name__] += 1
        finally:
            self._at_once -= 1

    async def _watch(self, outcome: Outcome) -> None:
        while True:
            await asyncio.sleep(0.1)
            largest = max(map(size_of, self.dynamo.tables.rows["AccountsTable"].values()))
            outcome.row_bytes = max(outcome.row_bytes, largest)


class _Sent:
    def send(self, message: Any, delay_s: int = 0) -> None:
        """Send nothing: who waits for a slot is not what is measured."""


class _NoProbes:
    def probe(self, urls: Sequence[str]) -> dict[str, Any]:
        """Return nothing: the model here has no media."""
        assert not urls
        return {}


CATALOG = Catalog.shipped().with_live(frozenset(MappingNames()), MappingNames())


async def text_at(world: World, rate: float, seconds: float) -> Outcome:
    """Serve text requests at a rate."""
    processes = [world.billing() for _ in range(PROCESSES)]

    async def request(n: int, outcome: Outcome) -> None:
        billing = processes[n % PROCESSES]
        started = world.loop.time()
        placed = await billing.place(
            world.account_id, new_id("req"), choosing(DEMAND, MODEL), None, spender=NOBODY
        )
        outcome.waits_s.append(world.loop.time() - started)
        await asyncio.sleep(seconds)
        await billing.settle(placed, MODEL, USAGE)

    return await world.serve(rate, seconds + STEADY_S, request)


async def budgeted_at(world: World, rate: float, seconds: float) -> Outcome:
    """Serve text requests that all count in the same budget."""
    await world.limit(BALANCE_MICRO_USD)
    return await text_at(world, rate, seconds)


async def together(world: World, number: int, seconds: float) -> Outcome:
    """Serve text requests of one moment, each of a process that has just started."""

    async def request(_: int, outcome: Outcome) -> None:
        billing, started = world.billing(), world.loop.time()
        try:
            placed = await billing.place(
                world.account_id, new_id("req"), choosing(DEMAND, MODEL), None, spender=NOBODY
            )
        finally:
            outcome.waits_s.append(world.loop.time() - started)
        await asyncio.sleep(seconds)
        await billing.settle(placed, MODEL, USAGE)

    return await world.serve(number, None, request)


async def creates_at(world: World, rate: float, *, until_end: bool) -> Outcome:
    """Create tasks at a rate; with `until_end`, start and end each as well."""
    processes = [world.task_service() for _ in range(PROCESSES)]
    finalizer = world.finalizer()

    async def request(n: int, outcome: Outcome) -> None:
        started = world.loop.time()
        service = processes[n % PROCESSES]
        made = await world.threads.run(
            lambda: service.create(world.account_id, BODY, None, key=None, attribution=NONE)
        )
        outcome.waits_s.append(world.loop.time() - started)
        if until_end:
            await asyncio.sleep(LIFE_S)
            task = await world.threads.run(lambda: _start(world, made["taskId"]))
            await asyncio.sleep(LIFE_S)
            end = replace(task, seq=task.seq + 1, status=TaskStatus.FINISHED, wake_at_ms=None)
            await world.threads.run(lambda: finalizer.end(End(end), was_running=True))

    return await world.serve(rate, STEADY_S + 2 * LIFE_S * until_end, request)


def _start(world: World, task_id: str) -> Task:
    tasks = TaskRepository(world.blocking, "TasksTable")
    task = tasks.get(task_id)
    assert task is not None
    attempt = Attempt("openai", world.clock.now_ms())
    started = replace(task, seq=task.seq + 1, status=TaskStatus.RUNNING, attempts=(attempt,))
    slots = world.ledger.slots(task.row_id)
    tasks.save(started, [world.ledger.acquire_slot(task.row_id, slots.most)])
    return started


Trial = Callable[[World, float], Awaitable[Outcome]]


def run(trial: Trial, rate: float, *, has_physics: bool) -> Outcome:
    """Try one rate in a world of its own, and prove its books after it."""
    loop = SimulatedLoop()
    pool = ThreadPoolExecutor(THREADS)
    loop.set_default_executor(pool)

    async def tried() -> Outcome:
        world = World(loop, has_physics=has_physics)
        await world.open()
        outcome = await trial(world, rate)
        assert await world.threads.run(world.proven), "the books do not agree"
        return outcome

    try:
        return loop.run_until_complete(tried())
    finally:
        pool.shutdown()
        loop.close()


def ceiling(
    trial: Trial, rates: Sequence[float], *, has_physics: bool
) -> tuple[Outcome | None, Outcome | None]:
    """Return what became of the highest rate that was sustained, and of the first that was not."""
    last: Outcome | None = None
    for rate in rates:
        outcome = run(trial, rate, has_physics=has_physics)
        if not outcome.is_sustained:
            return last, outcome
        last = outcome
    return last, None


def main() -> None:
    """Print the ceilings."""
    # One line for each request that is refused, and for each task.
    logger.setLevel("CRITICAL")
    trials: dict[str, tuple[Trial, Sequence[float]]] = {
        f"text of {seconds:g} s": (lambda world, rate, s=seconds: text_at(world, rate, s), rates)  # type: ignore[misc]
        for seconds, rates in RATES.items()
    }
    trials["text of 10 s, one budget"] = lambda world, rate: budgeted_at(world, rate, 10.0), RATES[10.0]
    trials["creates"] = lambda world, rate: creates_at(world, rate, until_end=False), CREATES
    trials["tasks, to their end"] = lambda world, rate: creates_at(world, rate, until_end=True), CREATES
    table = Table(
        "Kind", "Physics", "A second", "At once", "Row, bytes", "Write units each", "What stops the next rate"
    )
    with redirect_stdout(StringIO()):
        rows = list(measured(trials))
    for row in rows:
        table.add_row(*row)
    Console(width=150).print(table)
    machine.show()


def measured(trials: Mapping[str, tuple[Trial, Sequence[float]]]) -> Iterator[Sequence[str]]:
    """Measure; give a line of the table for each."""
    wanted = sys.argv[1:]
    for name, (trial, rates) in trials.items():
        if wanted and not any(word in name for word in wanted):
            continue
        for has_physics in (False, True):
            best, failed = ceiling(trial, rates, has_physics=has_physics)
            shown = best or Outcome(0)
            why = (
                ""
                if failed is None
                else f"{failed.rate:g}/s: {dict(failed.refused) or 'slow'} {dict(failed.physics)}"
            )
            yield (
                name, "with" if has_physics else "without", f"{shown.rate:g}", str(shown.at_once),
                str(shown.row_bytes), f"{shown.write_units:.1f}", why,
            )  # fmt: skip


if __name__ == "__main__":
    main()
