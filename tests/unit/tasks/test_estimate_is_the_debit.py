"""For any input of any live model, create debits exactly what estimate said: told from the write itself.

Only the ends are stood in for: what the database is asked to write is kept, and media is what its rules want.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support.laws import money_examples
from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import valid_inputs
from tests.unit.tasks.test_lifecycle import new_task
from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.uploads import Uploads
from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.media import ProbeRequest
from tollgate.catalog.models import Cost, ExtraCost, Model
from tollgate.catalog.pricing import cost_usd
from tollgate.kit.clock import SystemClock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import TransactWrite, Write
from tollgate.kit.errors import InvalidInputError, TollgateError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.attribution import NONE
from tollgate.ledger.budget_mover import BudgetMover
from tollgate.ledger.budget_writes import BudgetWrites
from tollgate.ledger.entries import Entry
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.trace import Trace
from tollgate.ledger.wallets import DEFAULT, KnownLimits
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, ProbeResult
from tollgate.providers.runtime.registry import MappingNames
from tollgate.tasks.charges import TaskCharges
from tollgate.tasks.idempotency import IdempotencyStore
from tollgate.tasks.models import Attempt, Task, TaskStatus
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.rows import task_of, task_row
from tollgate.tasks.service import TaskService

LIVE = CATALOG.with_live(frozenset(MappingNames()), MappingNames())
ACCOUNT = "usr_1"
CONTAINERS = {"video": "mp4", "audio": "mp3", "image": "png", "document": "pdf"}
NO_FILES: Any = None
"""The S3 client: no input has media inside."""


class KeptWrites(Database):
    """Keeps the writes of the last transaction; every earlier task that is asked for is a finished one."""

    def __init__(self) -> None:
        self.writes: Sequence[TransactWrite] = ()
        self.provider = ""
        self.markup_percent = 0

    def transact(self, writes: Sequence[TransactWrite]) -> None:
        self.writes = writes

    def get(self, table: str, key: Mapping[str, Any]) -> Item | None:
        assert table == "tasks"
        attempt = Attempt(self.provider, 1, handle={}, ended_at_ms=2, reference="theirs")
        return task_row(
            replace(new_task(), **key, attempts=(attempt,), status=TaskStatus.FINISHED, wake_at_ms=None)
        )

    def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        assert table == "budgets"
        return [{"seq": 1, "budgets": [], "markup_percent": self.markup_percent}, {}]

    def debit_micro_usd(self) -> int:
        """Return what the account's write takes from its balance."""
        (account,) = [write for write in self.writes if write.table == "accounts"]
        (debit,) = [
            change.amount
            for change in account.update
            if isinstance(change, Add) and change.path == "balance_micro_usd"
        ]
        assert isinstance(debit, int)
        return -debit

    def created(self) -> tuple[Task, Entry]:
        """Return the task that was written, and its charge."""
        rows = {write.table: write.item for write in self.writes if isinstance(write, Write) and write.item}
        return task_of(rows["tasks"]), Entry.from_item(rows["ledger"])


@dataclass
class Media:
    """Finds files of the right kind, each `seconds` long."""

    wanted: Sequence[ProbeRequest] = ()
    seconds: Decimal = Decimal(0)
    errors: Mapping[str, ProbeCode] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def probe(self, urls: Sequence[str]) -> Mapping[str, ProbeResult]:
        if self.errors:
            return {url: ProbeError(self.errors[url], "It failed.") for url in urls}
        kinds = {one.url: one.kind for one in self.wanted}
        return {url: self._facts(kinds[url]) for url in urls}

    def _facts(self, kind: str) -> ProbedMedia:
        seconds = None if kind in ("image", "document") else self.seconds
        return ProbedMedia(kind, CONTAINERS[kind], seconds, 1_080, 1_080, 1_000)


def service(database: KeptWrites, media: Media) -> TaskService:
    tasks = TaskRepository(database, "tasks")
    limits = KnownLimits(SystemClock())
    limits.put(ACCOUNT, DEFAULT)
    ledger = LedgerRepository(database, "accounts", "ledger")
    budgets = BudgetMover(database, BudgetWrites("budgets"))
    return TaskService(
        tasks=tasks,
        ledger=ledger,
        idempotency=IdempotencyStore("idempotency", database.get),
        catalog=LIVE,
        webhook_guard=AddressGuard(),
        prober=media,
        inputs=InputStore(
            NO_FILES,
            "bucket",
            "https://files.test",
            Uploads(NO_FILES, "bucket", "https://files.test", SystemClock()),
        ),
        reader=TaskReader(tasks, LIVE, str),
        charges=TaskCharges(tasks, ledger, RateMeter(600), limits, budgets),
        queue=lambda: pytest.fail("nothing is sent by create"),
        clock=SystemClock(),
    )


@pytest.mark.parametrize("model", LIVE.media_models(), ids=lambda model: model.id)
@settings(max_examples=money_examples(30), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_create_debits_the_estimate(model: Model, data: st.DataObject) -> None:
    source = data.draw(valid_inputs(model))
    checked = model.check(source)
    database = KeptWrites()
    database.provider = data.draw(st.sampled_from([route.provider for route in model.routes]))
    database.markup_percent = data.draw(st.sampled_from([0, 20, 1_000]) | st.integers(0, 1_000))
    media = Media(model.probes(checked), Decimal(data.draw(st.integers(2_000, 15_000))) / 1000)
    ours = service(database, media)
    body = {"model": model.id, "input": source}
    try:
        estimate = ours.estimate(ACCOUNT, body, key=None)
    except InvalidInputError:
        # Files of this length, or no provider for these values together: nothing may be charged then.
        with pytest.raises(InvalidInputError):
            ours.create(ACCOUNT, body, None, key=None, attribution=NONE)
        assert database.writes == ()
        assume(False)
    ours.create(ACCOUNT, body, None, key=None, attribution=NONE)
    assert database.debit_micro_usd() == micro_usd_of_cents(estimate["price"])
    check_costs(model, *database.created(), database.markup_percent)


def check_costs(model: Model, task: Task, charge: Entry, markup_percent: int) -> None:
    """Check the cost of each route: the price if the provider had our prices, and with its own not more."""
    parts = Trace.from_item(charge.trace or {}).parts
    price = sum(Decimal(str(part["amountUsd"])) for part in parts) / (1 + Decimal(markup_percent) / 100)
    source: Any = {"basis": "FOUND", "why": "It is ours."}
    ours = [Cost(cost=one.price, dimensions=one.dimensions, **source) for one in model.pricing.prices]
    extras = [
        ExtraCost(cost=one.price, counts=one.counts, free=one.free, **source) for one in model.pricing.extras
    ]
    for route in model.routes_for(task.values):
        like_ours = replace(route, costs=ours, extra_costs=extras)
        assert cost_usd(model, like_ours, task.values, parts) == price
        assert 0 < cost_usd(model, route, task.values, parts) <= price or model.free
        # Rows from before there were parts have none, and an entry can have been renamed since.
        for unknown in ([], [{**parts[0], "key": "renamed"}]):
            with pytest.raises(UnknownPriceError):
                cost_usd(model, route, task.values, unknown)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([ProbeCode.TOO_SLOW, ProbeCode.TOO_SLOW], (503, "media_timeout")),
        ([ProbeCode.TOO_SLOW, ProbeCode.UNREADABLE], (400, "invalid_input")),
    ],
)
def test_a_slow_file_can_be_tried_again_and_a_bad_one_cannot(
    codes: Sequence[ProbeCode], expected: tuple[int, str]
) -> None:
    urls = ["https://a.test/1.mp4", "https://a.test/2.mp4"]
    media = Media(errors=dict(zip(urls, codes, strict=True)))
    database = KeptWrites()
    ours = service(database, media)
    body = {"model": "seedance-2.0", "input": {"prompt": "a fox", "videoUrls": urls}}
    for ask in (ours.estimate, partial(ours.create, idempotency_key=None, attribution=NONE)):
        with pytest.raises(TollgateError) as caught:
            ask(ACCOUNT, body, key=None)
        assert (caught.value.status, caught.value.code) == expected
        details = caught.value.extra()["details"]
        assert [each["path"] for each in details] == ["/input/videoUrls/0", "/input/videoUrls/1"]
    assert database.writes == ()
