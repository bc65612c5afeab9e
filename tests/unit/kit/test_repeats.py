"""The law of repeats: a write whose answer was lost changes nothing more when it is sent again.

First the money of one text request, in a simulated DynamoDB: each of its calls loses its answer, in turn.
Then the law itself, for writes of any shape. At the end the list of all writes, each of a type with that law.
"""

import ast
import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

import tollgate
from tests.bench.account import DEMAND, MODEL, USAGE, World
from tests.support.simulated import SimulatedLoop
from tests.support.tables import OK, Tables
from tests.unit.text.samples import choosing
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import (
    Add,
    AllOf,
    AnyOf,
    AtLeast,
    Condition,
    Equals,
    Exists,
    Missing,
    Remove,
    RepeatableChange,
    Set,
    SetIfMissing,
)
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import MarkedWrite, SingleWrite, Write, leave, take
from tollgate.kit.ids import new_id
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, HOLD_LIFETIME_MS, RENEW_AFTER_MS
from tollgate.ledger.wallets import Limits
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import charge_micro_usd
from tollgate.text.money.placed import PlacedHold

PACKAGE = Path(tollgate.__file__).parent
BALANCE_MICRO_USD = 10_000_000
CHARGE_MICRO_USD = charge_micro_usd(USAGE, MODEL)
MS_PER_S = 1_000
# More calls than any of these requests makes.
MAX_CALLS = 12


class Lossy:
    """Carries every call out; loses the answer to one of them, or delivers the first copy of it later."""

    def __init__(self, world: World, lost: int | None, *, late_s: float = 0.0) -> None:
        self._real = world.dynamo.call
        self.lost = lost
        self._late_s = late_s
        self.calls = 0

    async def call(self, operation: str, request: Mapping[str, Any]) -> Any:
        at, self.calls = self.calls, self.calls + 1
        if at != self.lost:
            return await self._real(operation, request)
        if self._late_s:
            asyncio.get_running_loop().create_task(self._later(operation, request))
        else:
            await self._real(operation, request)
        raise TimeoutError

    async def _later(self, operation: str, request: Mapping[str, Any]) -> None:
        await asyncio.sleep(self._late_s)
        await self._real(operation, request)


async def settled(billing: TextBilling, placed: PlacedHold) -> int:
    return (await billing.settle(placed, MODEL, USAGE)).charge_micro_usd


async def renewed(billing: TextBilling, placed: PlacedHold) -> int:
    await asyncio.sleep(RENEW_AFTER_MS / MS_PER_S + 30)
    return await settled(billing, placed)


async def voided(billing: TextBilling, placed: PlacedHold) -> int:
    await billing.void(placed)
    return 0


async def failed(billing: TextBilling, placed: PlacedHold) -> int:
    placed.call("openai")
    await billing.fail(placed, MODEL.id, "No provider answered.")
    return 0


End = Callable[[TextBilling, PlacedHold], Awaitable[int]]


def balance_after(
    end: End, lost: int | None, late_s: float = 0.0, *, has_budget: bool = False
) -> tuple[int, int]:
    """Serve one request with the nth answer lost, and let all time limits pass.

    With `has_budget`, the budget must have counted what was charged at the end. Returns the balance and how
    many calls were made; raises if the books do not agree.
    """
    loop = SimulatedLoop()

    async def main() -> tuple[int, int]:
        world = World(loop, has_physics=False, balance_micro_usd=BALANCE_MICRO_USD, limits=Limits())
        await world.open()
        if has_budget:
            await world.limit(BALANCE_MICRO_USD)
        billing = world.billing()
        # The account's minute is open then, so the rate window alone does not refuse a repeat.
        await voided(
            billing,
            await billing.place(
                world.account_id, new_id("req"), choosing(DEMAND, MODEL), None, spender=NOBODY
            ),
        )
        lossy = Lossy(world, lost, late_s=late_s)
        world.dynamo.call = lossy.call  # type: ignore[method-assign]
        placed = await billing.place(
            world.account_id, new_id("req"), choosing(DEMAND, MODEL), None, spender=NOBODY
        )
        charged = await end(billing, placed)
        calls = lossy.calls
        lossy.lost = None
        assert charged in (0, CHARGE_MICRO_USD)
        await asyncio.sleep((HOLD_LIFETIME_MS + EMPTY_LIFETIME_MS) / MS_PER_S + late_s)
        # The sweeper comes by: at first for holds, and once more for those that it postponed.
        for _ in range(2):
            await world.threads.run(lambda: world.ledger.expire_holds(world.clock.now_ms(), 10))
        assert await world.threads.run(world.proven)
        row = await world.threads.run(lambda: world.ledger.account_row(world.account_id))
        assert row["holds"] == {}
        counters = world.dynamo.tables.rows["BudgetsTable"].values()
        counted = [int(each["spent_micro_usd"]["N"]) for each in counters if "spent_micro_usd" in each]
        assert counted == ([BALANCE_MICRO_USD - row["balance_micro_usd"]] if has_budget else [])
        return row["balance_micro_usd"], calls

    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


@pytest.mark.parametrize("has_budget", [False, True], ids=["plain", "budget"])
@pytest.mark.parametrize("end", [settled, renewed, voided, failed])
def test_a_text_request_costs_the_same_whichever_answer_is_lost(end: End, *, has_budget: bool) -> None:
    expected = BALANCE_MICRO_USD - (CHARGE_MICRO_USD if end in (settled, renewed) else 0)
    balance, calls = balance_after(end, lost=None, has_budget=has_budget)
    assert balance == expected
    assert 2 <= calls < MAX_CALLS
    for lost in range(calls):
        found, _ = balance_after(end, lost, has_budget=has_budget)
        assert found == expected, f"the answer to call {lost} was lost"


@pytest.mark.parametrize("late_s", [1.0, 30.0, 200.0, 299.0])
@pytest.mark.parametrize("has_budget", [False, True], ids=["plain", "budget"])
@pytest.mark.parametrize("end", [settled, voided, failed])
def test_a_copy_of_a_hold_that_arrives_after_its_request_takes_nothing(
    end: End, late_s: float, *, has_budget: bool
) -> None:
    """The first copy is delayed, for as long as its signature is good; the repeat is answered at once."""
    expected = BALANCE_MICRO_USD - (CHARGE_MICRO_USD if end is settled else 0)
    assert balance_after(end, lost=0, late_s=late_s, has_budget=has_budget)[0] == expected


NAMES = ["a", "b", "c"]
MARK = ("marks", "req_1")
names, numbers = st.sampled_from(NAMES), st.integers(0, 3)
rows = st.none() | st.dictionaries(names, numbers).map(lambda found: {"id": "x", "marks": {}, **found})
leaves: st.SearchStrategy[Condition] = (
    st.builds(Exists, names)
    | st.builds(Missing, names)
    | st.builds(Equals, names, numbers)
    | st.builds(AtLeast, names, numbers)
)
conditions = st.none() | st.recursive(
    leaves, lambda inner: st.builds(AllOf, inner, inner) | st.builds(AnyOf, inner, inner), max_leaves=4
)
set_or_removed: st.SearchStrategy[Mapping[str, RepeatableChange]] = st.fixed_dictionaries(
    {},
    optional={
        name: st.builds(Set, st.just(name), numbers)
        | st.builds(SetIfMissing, st.just(name), numbers)
        | st.just(Remove(name))
        for name in NAMES
    },
)
sums = st.dictionaries(names, st.integers(-2, 2)).map(
    lambda found: [Add(name, amount, start=0) for name, amount in found.items()]
)


class RefusedError(Exception):
    """What the writes of the law are refused with."""


class Things:
    """One table in memory, and a database before it."""

    def __init__(self, row: Item | None) -> None:
        key = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
        self.tables = Tables({"Things": key})
        self.db = Database(self, sleep=lambda _: None)  # type: ignore[arg-type]
        if row is not None:
            self.db.write(Write("Things", item=row))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._call, name)

    def _call(self, name: str, **request: Any) -> Any:
        status, answer = self.tables.call(name.title().replace("_", ""), request)
        if status == OK:
            return answer
        code = str(answer["__type"]).rpartition("#")[2]
        raise ClientError({"Error": {"Code": code, "Message": ""}, **answer}, name)  # type: ignore[typeddict-item]

    def sent(self, write: SingleWrite) -> tuple[bool, Item | None]:
        """Send a write; return whether it was done, and the row after it."""
        done = True
        try:
            self.db.write(write)
        except RefusedError:
            done = False
        return done, self.db.get("Things", {"id": "x"})


def refused(_: Item | None) -> Exception:
    return RefusedError()


class TestLaw:
    """Whatever the row and the condition are: a write that is sent twice leaves the row as if sent once."""

    @given(rows, conditions, set_or_removed)
    def test_an_update(
        self, row: Item | None, condition: Condition | None, changes: Mapping[str, RepeatableChange]
    ) -> None:
        things = Things(row)
        update = (Set("d", 1), *changes.values())
        write = Write("Things", key={"id": "x"}, update=update, condition=condition, refused=refused)
        once = things.sent(write)
        assert things.sent(write) == once

    @given(rows, conditions, st.dictionaries(names, numbers))
    def test_a_put(self, row: Item | None, condition: Condition | None, put: Item) -> None:
        things = Things(row)
        write = Write("Things", item={"id": "x", **put}, condition=condition, refused=refused)
        once = things.sent(write)
        assert things.sent(write) == once

    @given(rows, conditions, sums)
    def test_a_write_that_leaves_a_mark(
        self, row: Item | None, condition: Condition | None, counts: Sequence[Add]
    ) -> None:
        # An update makes a row, but no map in it.
        things = Things(row or {"id": "x", "marks": {}})
        write = MarkedWrite(
            "Things",
            key={"id": "x"},
            mark=leave(MARK, 1),
            update=counts,
            condition=condition,
            refused=refused,
        )
        once = things.sent(write)
        assert things.sent(write) == once

    @given(rows, conditions, sums)
    def test_a_write_that_takes_a_mark(
        self, row: Item | None, condition: Condition | None, counts: Sequence[Add]
    ) -> None:
        """The repeat is refused, because another writer might have taken the mark; nothing moves."""
        things = Things((row or {"id": "x"}) | {"marks": {"req_1": 1}})
        write = MarkedWrite(
            "Things", key={"id": "x"}, mark=take(MARK), update=counts, condition=condition, refused=refused
        )
        once = things.sent(write)
        assert things.sent(write) == (False, once[1])


class TestEveryWrite:
    """The writes of the code, each of a type that the law is about. A new one is listed here."""

    MARKED: ClassVar = {
        "ledger/hold_writes.py HoldWrites.place": "leaves holds.<request>",
        "ledger/reservations.py draw": "leaves holds.<request>",
        "ledger/reservations.py take_share": "leaves holds.<request>",
        "ledger/hold_writes.py HoldWrites.resolve": "takes holds.<request>, or puts an empty hold there",
    }
    COUNTING: ClassVar = {
        "accounts/repository.py": "AccountRepository.count_key AccountRepository.uncount_key",
        "exports/repository.py": "ExportRepository.count_spans",
        "ledger/budget_writes.py": (
            "BudgetWrites._give BudgetWrites.fund BudgetWrites.gather BudgetWrites.take"
        ),
        "ledger/crediting.py": "raise_balance",
        "ledger/families.py": "FamilyWrites.move",
        "ledger/family_repository.py": "FamilyRepository._get",
        "ledger/hourly_counts.py": "count_in_hour",
        "ledger/repository.py": (
            "LedgerRepository.acquire_slot LedgerRepository.charge LedgerRepository.close_task"
        ),
        "ledger/reservations.py": "pay_from",
        "ledger/wallets.py": "WalletWrites._move lower_balance",
        "notices/repository.py": "NoticeRepository.count",
        "subaccounts/repository.py": "SubaccountRepository.closed SubaccountRepository.opened",
        "text/responses/storage.py": "Storage.count",
        "usage/repository.py": "RollUp._add_labels",
        "usage/route_repository.py": "RouteMeter._rows",
    }
    """Only a transaction carries these: mypy refuses anything else."""
    SETTING: ClassVar = {
        "account_closure/repository.py": (
            "ErasureRepository._scrub_log ErasureRepository.end_account ErasureRepository.scrub_keys"
        ),
        "accounts/auth.py": "use_write",
        "accounts/repository.py": (
            "AccountRepository.new AccountRepository.replace_webhook_secrets "
            "AccountRepository.set_completes_answers ApiKeyRepository.add ApiKeyRepository.change "
            "ApiKeyRepository.revoke ApiKeyRepository.revoke_internal ApiKeyRepository.revoke_run "
            "ApiKeyRepository.still ApiKeyRepository.outdate"
        ),
        "audit/notes.py": "AuditNotes.note",
        "audit/repository.py": "OnceLog.write",
        "batches/reader.py": "BatchReader._changed",
        "batches/repository.py": "BatchRepository.create BatchRepository.put",
        "connectors/repository.py": "CodeRepository.add",
        "exports/repository.py": "ExportRepository._update ExportRepository.change",
        "kit/dynamodb/database.py": "VersionedRepository._put",
        "kit/dynamodb/due_index.py": "DueIndex.postpone",
        "ledger/budget_writes.py": "BudgetWrites.define BudgetWrites.route announce",
        "ledger/caps.py": "open_period",
        "ledger/checkpoints.py": "Checkpoints.put Checkpoints.save_run",
        "ledger/crediting.py": "post",
        "ledger/families.py": "FamilyWrites._post",
        "ledger/family_repository.py": "FamilyRepository._post",
        "ledger/hold_writes.py": (
            "HoldWrites.record HoldWrites.renew HoldWrites.request_end HoldWrites.set_next_expiry"
        ),
        "ledger/request_counts.py": "RequestMeter.take",
        "ledger/suspension.py": "check_may_spend resume suspend",
        "ledger/wallets.py": "WalletWrites.limit WalletWrites.open",
        "members/repository.py": (
            "IdentityRepository._accounts_of IdentityRepository.forget "
            "IdentityRepository.forget_invitation IdentityRepository.make IdentityRepository.note_email "
            "IdentityRepository.note_invitation IdentityRepository.prefer"
        ),
        "notices/repository.py": (
            "NoticeRepository._update NoticeRepository.claim NoticeRepository.save_progress"
        ),
        "payments/repository.py": "BillingRepository.save PaymentRepository.change",
        "projects/repository.py": "ProjectRepository.change ProjectRepository.join",
        "providers/runtime/health_store.py": "ProviderHealthStore._write ProviderHealthStore.switch",
        "quotes/repository.py": "QuoteRepository.added QuoteRepository.changed",
        "reconciliation/repository.py": "ReconciliationRepository.save",
        "run_tokens/repository.py": "RunTokenRepository.opened RunTokenRepository.revoked",
        "seals/repository.py": "SealRepository._add",
        "status/repository.py": "IncidentRepository.save StatusRepository.count",
        "subaccounts/repository.py": (
            "SubaccountRepository._changed SubaccountRepository._remembered "
            "SubaccountRepository.none_is_open SubaccountRepository.opened"
        ),
        "tasks/idempotency.py": "IdempotencyStore.tie",
        "tasks/repository.py": "ExampleRepository.put TaskRepository._put TaskRepository.save",
        "text/responses/conversations.py": "ConversationRepository._put ConversationRepository.create",
        "text/responses/states.py": "claim",
        "text/responses/storage.py": "Storage.gone Storage.put",
        "text/responses/timers.py": "stopped",
        "usage/repository.py": "RollUp._add_entries RollUp._mark",
        "usage/route_repository.py": "RouteMeter._mark",
        "web/sessions.py": "SessionStore._listing SessionStore._row",
        "webhooks/repository.py": (
            "DeliveryRepository.enqueue DeliveryRepository.save LaneRepository._clear "
            "LaneRepository._open LaneRepository._take LaneRepository.leave"
        ),
        "workflows/repository.py": "WorkflowRepository.added WorkflowRepository.changed",
    }
    """These put rows, or set and remove attributes."""
    # What makes a value of which type.
    MAKERS: ClassVar = {
        "MarkedWrite": "marked",
        "FilledMark": "marked",
        "CountingWrite": "counting",
        "count_one": "counting",
        "filled": "counting",
        "Write": "setting",
        "put_new": "setting",
        "put_if_unchanged": "setting",
    }

    def found(self) -> Mapping[str, set[str]]:
        """Return the functions that make writes, by the type of the write."""
        found: dict[str, set[str]] = {"marked": set(), "counting": set(), "setting": set()}
        for file in sorted(PACKAGE.rglob("*.py")):
            where = file.relative_to(PACKAGE).as_posix()
            if where in ("kit/dynamodb/writes.py", "kit/dynamodb/templates.py"):
                continue
            text = file.read_text()
            # To parse everything takes long.
            may_have_one = any(f"{maker}(" in text for maker in self.MAKERS)
            for name, maker in calls(ast.parse(text)) if may_have_one else ():
                if maker in self.MAKERS:
                    found[self.MAKERS[maker]].add(f"{where} {name}")
        return found

    def test_is_listed_by_its_type(self) -> None:
        counting, setting = (
            {f"{file} {name}" for file, names in kind.items() for name in names.split()}
            for kind in (self.COUNTING, self.SETTING)
        )
        listed = {"marked": set(self.MARKED), "counting": counting, "setting": setting}
        assert {kind: sorted(found ^ listed[kind]) for kind, found in self.found().items()} == {
            "marked": [],
            "counting": [],
            "setting": [],
        }

    def test_goes_through_the_one_core(self) -> None:
        """Only the operator's `restore swap` writes past it: whole rows, from a backup, again and again."""
        operations = re.compile(
            r"\b(put_item|update_item|delete_item|transact_write_items|batch_write_item)\b"
        )
        past = {
            file.relative_to(PACKAGE).as_posix()
            for file in PACKAGE.rglob("*.py")
            if operations.search(file.read_text())
        }
        assert past == {"command/swap.py"}


def calls(tree: ast.AST, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Return the calls of plain names in a module, each with the function that makes it."""
    for node in ast.iter_child_nodes(tree):
        within = inside
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = (*inside, node.name)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield ".".join(inside), node.func.id
        yield from calls(node, within)
