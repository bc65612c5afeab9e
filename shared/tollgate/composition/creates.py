"""Creates the service that prices and creates tasks, for each function that does."""

from collections.abc import Callable
from dataclasses import dataclass

from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.results import Results
from tollgate.artifacts.uploads import Uploads
from tollgate.catalog.loader import Catalog
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.parts import clock
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.settings import RatedSettings
from tollgate.ledger.budget_mover import BudgetMover
from tollgate.ledger.budget_writes import BudgetWrites
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.wallets import KnownLimits
from tollgate.probing.service import Prober
from tollgate.providers.runtime.accounts import known_providers
from tollgate.tasks.charges import TaskCharges
from tollgate.tasks.idempotency import IdempotencyStore
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.service import TaskService


@dataclass(frozen=True, kw_only=True)
class CreateSettings(SpendingSettings, RatedSettings):
    """Settings of a function that creates tasks."""

    tasks_table: str
    probe_function: str = ""
    media_bucket: str
    storage_url: str


def task_service(
    settings: CreateSettings, catalog: Catalog, queue: Callable[[], Queue], idempotency_table: str = ""
) -> TaskService:
    """Return the service. Its counts and limits are the process's.

    A worker of workflows has no requests that could be repeated, so it needs no `idempotency_table`.
    """
    db = database()
    ledger, tasks = ledger_of(settings), TaskRepository(db, settings.tasks_table)
    # Receivers are the customer's hosts. Files of providers have a separate guard in `run_task`.
    guard = AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks)
    uploads = Uploads(sdk.s3(), settings.media_bucket, settings.storage_url, clock())
    # One object each for the process, so that routes and headers use the same counts.
    meter, limits = RateMeter(settings.requests_per_minute), KnownLimits(clock())
    results = Results(sdk.s3(), settings.media_bucket, settings.storage_url)
    mover = BudgetMover(db, BudgetWrites(settings.budgets_table))
    return TaskService(
        tasks=tasks,
        ledger=ledger,
        idempotency=IdempotencyStore(idempotency_table, db.get),
        catalog=catalog,
        webhook_guard=guard,
        # The client is created on first use, because most creates have nothing to probe.
        prober=Prober(sdk.lambda_, settings.probe_function),
        inputs=InputStore(sdk.s3(), settings.media_bucket, settings.storage_url, uploads),
        reader=TaskReader(tasks, catalog, results.address),
        charges=TaskCharges(tasks, ledger, meter, limits, mover),
        queue=queue,
        clock=clock(),
        known=known_providers(),
    )
