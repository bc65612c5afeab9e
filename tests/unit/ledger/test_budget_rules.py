"""The laws of budgets, on a database with physics and lost answers, in simulated time."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench import account
from tests.bench.account import BODY, MODEL, budgeted_at, run, together
from tests.support.losses import Losses
from tests.support.simulated import SimulatedLoop
from tests.unit.ledger.test_caps import ms
from tests.unit.ledger.test_wallets import DEMAND, HOLD, SEEDS, USAGE, Bank, carried_out, within_a_second
from tests.unit.text.samples import choosing
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseBusyError
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import Budget, BudgetPeriod, Spender, at_once, period_at
from tollgate.ledger.errors import BudgetReachedError, InsufficientBalanceError
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS, holds_of
from tollgate.ledger.runs import Run, RunTerms, token_id_of
from tollgate.ledger.wallets import Limits
from tollgate.run_tokens.repository import RunTokenRepository
from tollgate.text.money.metering import full_hold

ALICE, BOB = Attribution("alice", {"team": "search"}), Attribution("bob", {"team": "search"})
ACCOUNTS = "AccountsTable"
HOLD_OF_4_000 = full_hold(account.DEMAND, MODEL).amount_micro_usd


def budget(name: str, scope: str, limit: int, value: str | None = None) -> Budget:
    return Budget(f"bud_{name}", name, scope, limit, BudgetPeriod.MONTH, value)


class Treasury(Bank):
    """A `Bank` whose account has budgets."""

    async def define(self, *budgets: Budget) -> None:
        repository = BudgetRepository(self.blocking, ACCOUNTS, "BudgetsTable")

        def change() -> None:
            read = repository.read(self.account_id)
            repository.change(self.account_id, read, replace(read, budgets=budgets))

        await self.threads.run(change)

    async def open_token(self, limit: int) -> ApiKey:
        """Return the key of a new run token with a limit."""
        key_id, ends_ms = new_id("key"), self.clock.now_ms() + MS_PER_DAY
        terms = RunTerms(limit, "key_1", Attribution(tags={"team": "search"}))
        token = ApiKey(key_id, self.account_id, "", ALL_SCOPES, 0, ends_ms, name="run", run=terms)
        run = Run(self.account_id, token_id_of(key_id), "run", terms, 0, ends_ms)
        opened = RunTokenRepository(self.blocking, "BudgetsTable").opened(run)
        await self.threads.run(lambda: self.blocking.transact(opened))
        return token

    async def text_of(
        self, labels: Attribution, seconds: float, dies_at: str | None = None, key: ApiKey | None = None
    ) -> None:
        """Make a text request of somebody, whose process may die at a step."""
        billing = self.random.choice(self.processes)
        spender = Spender(None, labels) if key is None else key.spender(labels)
        try:
            placed = await billing.place(
                self.account_id, new_id("req"), choosing(DEMAND, MODEL), spender=spender, allowance=None
            )
        except (InsufficientBalanceError, BudgetReachedError, DatabaseBusyError) as exc:
            self.became[f"{labels.user} {type(exc).__name__}"] += 1
            return
        self.became[f"{labels.user} placed"] += 1
        await asyncio.sleep(seconds)
        await self.settled(billing, placed, dies_at)

    async def media_of(self, labels: Attribution, key: ApiKey | None = None) -> None:
        """Create a task of somebody."""
        try:
            await self.threads.run(
                lambda: self.service.create(self.account_id, BODY, None, key, attribution=labels)
            )
        except (InsufficientBalanceError, BudgetReachedError, StorageBusyError) as exc:
            self.became[f"{labels.user} {type(exc).__name__}"] += 1
        else:
            self.became[f"{labels.user} created"] += 1

    def budget_rows(self) -> list[Item]:
        """Return the rows of budgets, without the counts of tokens."""
        found = self.dynamo.tables.rows["BudgetsTable"].values()
        return [row for row in found if not row["item"]["S"].startswith("tokens#")]

    def counted(self) -> Counter[str]:
        """Return what the rows of budgets have counted, by budget and value."""
        found: Counter[str] = Counter()
        for row in self.budget_rows():
            budget_id, _, rest = row["item"]["S"].partition("#")
            if not rest:
                continue
            is_share = row["item"]["S"].split("#")[2] != "0"
            amount = -int(row["left_micro_usd"]["N"]) if is_share else int(row["spent_micro_usd"]["N"])
            found[f"{budget_id} {row['value']['S']}"] += amount
        return found

    def due(self) -> Counter[str]:
        """Return what the ledger and the open holds say of the same."""
        found: Counter[str] = Counter()
        names = {
            row["item"]["S"].replace(f"#{row['item']['S'].split('#')[2]}#", "#"): row["value"]["S"]
            for row in self.budget_rows()
            if "#" in row["item"]["S"]
        }

        def add(items: Sequence[str], amount: int) -> None:
            for item in items:
                budget_id, stamp, _, digest = item.split("#")
                found[f"{budget_id} {names[f'{budget_id}#{stamp}#{digest}']}"] += amount

        entries = self.entries()
        settled = {entry.request_id for entry in entries if entry.request_id is not None}
        for entry in entries:
            add(entry.budgets or (), -entry.amount_micro_usd)
        for row in self.ledger.wallets.rows(self.account_id):
            for hold in holds_of(row):
                if hold.request_id in settled:
                    [charge] = [e for e in entries if e.request_id == hold.request_id]
                    add(hold.budgets, hold.amount_micro_usd + charge.amount_micro_usd)
                    if charge.budgets is None:
                        add(hold.budgets, -charge.amount_micro_usd)
                else:
                    add(hold.budgets, hold.amount_micro_usd)
        return found


@settings(max_examples=25, deadline=None)
@given(
    seed=SEEDS,
    money=st.integers(0, 60),
    covered=st.integers(0, 20),
    texts=st.lists(st.sampled_from([None, None, "place", "record"]), max_size=30),
    tasks=st.integers(0, 4),
    wallets=st.sampled_from([1, 5]),
    lost=st.sampled_from([0.0, 0.02]),
)
def test_a_budget_counts_exactly_what_the_ledger_says_whoever_dies_and_whatever_gets_lost(
    seed: int, money: int, covered: int, texts: list[str | None], tasks: int, wallets: int, lost: float
) -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Treasury(loop, seed, money * HOLD, wallets)
        await bank.open()
        limit = covered * HOLD
        await bank.define(
            budget("users", "user", limit),
            budget("team", "tag:team", 2 * limit, "search"),
            budget("all", "account", 10**9),
        )
        bank.dynamo.losses = Losses(lost, seed)
        labels = [bank.random.choice([ALICE, BOB, Attribution()]) for _ in range(len(texts) + tasks)]
        token = await bank.open_token(limit)
        keys = [bank.random.choice([None, token]) for _ in labels]
        works = [bank.text_of(labels.pop(), bank.random.random() * 3, each, keys.pop()) for each in texts]
        await within_a_second(
            bank, [*works, *(bank.media_of(labels.pop(), keys.pop()) for _ in range(tasks))]
        )
        assert await bank.threads.run(bank.proven)
        assert bank.least == 0
        # What the dead left behind is resolved by what the ledger says of it.
        await asyncio.sleep(max(HOLD_LIFETIME_MS, EMPTY_LIFETIME_MS) / 1_000 + 1)
        await bank.threads.run(lambda: bank.ledger.expire_holds(bank.clock.now_ms(), 100))
        counted = bank.counted()
        assert +counted == +await bank.threads.run(bank.due)
        assert all(counted[f"bud_users {name}"] <= limit for name in ("alice", "bob"))
        assert counted["bud_team search"] <= 2 * limit
        assert counted[f"{token.token_id} {token.token_id}"] <= limit

    carried_out(story)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, covered=st.integers(0, 12), wallets=st.sampled_from([1, 5, 12]), has_token=st.booleans())
def test_as_many_requests_are_served_as_the_budget_covers(
    seed: int, covered: int, wallets: int, has_token: bool
) -> None:
    """Of many at once, nothing above the budget is served, and nothing that fits is refused."""

    async def story(loop: SimulatedLoop) -> None:
        bank = Treasury(loop, seed, 10_000 * HOLD, wallets)
        await bank.open()
        token = await bank.open_token(covered * HOLD) if has_token else None
        if token is None:
            await bank.define(budget("users", "user", covered * HOLD))
        # Nobody settles before everybody was served or refused.
        works = [bank.text_of(ALICE, 30, key=token) for _ in range(covered + 8)]
        await within_a_second(
            bank, [*works, *(bank.text_of(Attribution("carol"), 30) for _ in range(covered))]
        )
        assert bank.became["alice placed"] == covered
        assert bank.became["alice BudgetReachedError"] == 8
        assert bank.became["carol placed"] == covered

    carried_out(story)


@pytest.mark.parametrize(
    ("requests", "wallets", "covered", "served"),
    [
        # Each row of an account has room for 100 requests.
        (100, 1, 10_000, 100),
        (110, 1, 10, 10),
        (200, 12, 10_000, 200),
        # As decision 0056 says.
        (400, 24, 100, 100),
    ],
)
def test_requests_of_one_moment_that_fit_are_all_served(
    requests: int, wallets: int, covered: int, served: int
) -> None:
    """Two budgets count each request; every process is new, and knows neither them nor the wallets."""

    async def story(loop: SimulatedLoop) -> None:
        limits = Limits(text_at_once=100 * wallets, requests_per_minute=10**5, wallets=wallets)
        world = account.World(loop, limits=limits)
        await world.open()
        await world.limit(covered * HOLD_OF_4_000, 10_000 * HOLD_OF_4_000)
        outcome = await together(world, requests, 10)
        refused = {"BudgetReachedError": requests - served} if served < requests else {}
        assert (outcome.served, dict(outcome.refused)) == (served, refused)
        assert await world.threads.run(world.proven)

    carried_out(story)


def test_a_budget_that_400_requests_share_at_once_sustains_40_a_second() -> None:
    outcome = run(lambda world, rate: budgeted_at(world, rate, 10.0), 40, has_physics=True)
    assert outcome.at_once > 390
    assert outcome.is_sustained


@pytest.mark.parametrize("is_busy", [False, True])
def test_what_requests_did_not_use_is_back_in_their_budget_at_once(
    monkeypatch: pytest.MonkeyPatch, *, is_busy: bool
) -> None:
    """Also if others change the rows at the same time, so that the charge is recorded before all else."""

    async def collided(*_: object) -> bool:
        return False

    async def story(loop: SimulatedLoop) -> None:
        bank = Treasury(loop, 1, 100 * HOLD)
        await bank.open()
        await bank.define(budget("all", "account", 50 * HOLD))
        billing, spender = bank.processes[0], Spender(None, ALICE)
        failed, served = [
            await billing.place(
                bank.account_id, new_id("req"), choosing(DEMAND, MODEL), spender=spender, allowance=None
            )
            for _ in range(2)
        ]
        assert bank.counted().total() == 2 * HOLD
        await billing.void(failed)
        charge = (await billing.settle(served, served.routes.candidates[0].model, USAGE)).charge_micro_usd
        assert 0 < charge < HOLD
        assert bank.counted().total() == charge
        assert bank.total() == 100 * HOLD - charge
        assert {row["holds"] for row in bank.rows()} == {0}
        assert await bank.threads.run(bank.proven)

    if is_busy:
        monkeypatch.setattr(AsyncDatabase, "transact_once", collided)
    carried_out(story)


def test_a_changed_budget_holds_for_every_process_at_once() -> None:
    async def story(loop: SimulatedLoop) -> None:
        bank = Treasury(loop, 3, 10_000 * HOLD)
        await bank.open()
        running = []
        # The first six are not counted, because there is no budget yet.
        for covered, placed in ((None, 6), (2, 2), (3, 1), (1, 0), (None, 6)):
            budgets = () if covered is None else (budget("alice", "user", covered * HOLD, "alice"),)
            await bank.define(*budgets)
            bank.became.clear()
            running += [asyncio.ensure_future(bank.text_of(ALICE, 60)) for _ in range(6)]
            await asyncio.sleep(5)
            assert bank.became["alice placed"] == placed
        await asyncio.gather(*running)

    carried_out(story)


class TestPeriods:
    @pytest.mark.parametrize(
        ("per", "moment", "stamp", "ends"),
        [
            (BudgetPeriod.DAY, "2026-12-31T23:59:59", "2026-12-31", "2027-01-01T00:00:00"),
            (BudgetPeriod.WEEK, "2026-11-22T23:59:59", "2026-11-16w", "2026-11-23T00:00:00"),
            (BudgetPeriod.WEEK, "2026-11-23T00:00:00", "2026-11-23w", "2026-11-30T00:00:00"),
            (BudgetPeriod.MONTH, "2026-12-05T12:00:00", "2026-12", "2027-01-01T00:00:00"),
            (BudgetPeriod.TOTAL, "2026-12-05T12:00:00", "total", None),
        ],
    )
    def test_of_a_moment(self, per: BudgetPeriod, moment: str, stamp: str, ends: str | None) -> None:
        assert period_at(per, ms(moment)) == (stamp, None if ends is None else ms(ends))


class TestMatches:
    @pytest.mark.parametrize(
        ("scope", "value", "labels", "found"),
        [
            ("account", None, ALICE, ""),
            ("user", None, ALICE, "alice"),
            ("user", "bob", ALICE, None),
            ("user", None, Attribution(), None),
            ("tag:team", "search", ALICE, "search"),
            ("tag:feature", None, ALICE, None),
            ("project", None, Attribution(project="prj_1"), "prj_1"),
            ("key", "key_1", ALICE, "key_1"),
            ("key", "key_2", ALICE, None),
        ],
    )
    def test_a_request_counts(
        self, scope: str, value: str | None, labels: Attribution, found: str | None
    ) -> None:
        assert budget("x", scope, 1, value).value_of(Spender("key_1", labels)) == found

    def test_the_most_that_one_request_can_meet(self) -> None:
        found = [budget("a", "user", 1), budget("b", "user", 1, "x"), budget("c", "user", 1, "y")]
        assert at_once([*found, budget("d", "account", 1), budget("e", "user", 1, "y")]) == 4

    def test_is_stored_whole(self) -> None:
        for each in (budget("a", "user", 5), budget("b", "tag:team", 7, "x")):
            assert Budget.from_item(each.to_item()) == each
