"""The one place that builds clients and joins parts: one cached function per Lambda.

Nothing is built at import, so a snapshot holds no connection, and tests start from a clean slate with
`forget()`.
"""

from dataclasses import dataclass
from functools import cache

from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.service import AccountService, Authenticator
from tollgate.artifacts.store import ArtifactStore
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.kit import aws
from tollgate.kit.addresses import AddressGuard
from tollgate.kit.clock import SystemClock
from tollgate.kit.dynamodb import Database
from tollgate.kit.outbound import Outbound
from tollgate.kit.queue import Queue
from tollgate.kit.settings import (
    ApiSettings,
    CheckLedgerSettings,
    DeliverWebhookSettings,
    DispatchChangesSettings,
    RunTaskSettings,
    SweepSettings,
)
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit
from tollgate.probing.service import Prober
from tollgate.providers.credentials import ProviderSource, secret_reader
from tollgate.tasks.dispatch import Dispatcher
from tollgate.tasks.idempotency import IdempotencyStore
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.service import TaskService
from tollgate.tasks.step import StepRunner
from tollgate.tasks.sweep import Sweeper
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.webhooks.service import WebhookService


@dataclass(frozen=True, slots=True)
class Api:
    """What the routes of `functions/api` call."""

    authenticator: Authenticator
    accounts: AccountService
    tasks: TaskService
    listing: Listing


@cache
def clock() -> SystemClock:
    """Give the clock that all parts share."""
    return SystemClock()


@cache
def api() -> Api:
    """Join the parts of `functions/api`."""
    settings = ApiSettings.from_env()
    db = Database(aws.dynamodb())
    ledger = LedgerRepository(db, settings.accounts_table, settings.ledger_table)
    keys = ApiKeyRepository(db, settings.api_keys_table)
    catalog = _catalog(settings.live_providers)
    return Api(
        authenticator=Authenticator(keys, clock()),
        accounts=AccountService(AccountRepository(db, settings.accounts_table), keys, ledger, clock()),
        tasks=TaskService(
            tasks=TaskRepository(db, settings.tasks_table),
            ledger=ledger,
            idempotency=IdempotencyStore(settings.idempotency_table),
            catalog=catalog,
            webhook_guard=AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks),
            prober=Prober(aws.lambda_(), settings.probe_function),
            clock=clock(),
        ),
        listing=Listing(catalog),
    )


@cache
def dispatcher() -> Dispatcher:
    """Join the parts of `functions/dispatch_changes`."""
    settings = DispatchChangesSettings.from_env()
    return Dispatcher(Queue(aws.sqs(), settings.task_queue_url), Queue(aws.sqs(), settings.webhook_queue_url))


@cache
def _run_task_settings() -> RunTaskSettings:
    return RunTaskSettings.from_env()


@cache
def _provider_source() -> ProviderSource:
    return ProviderSource(
        secret_reader(aws.secrets_manager(), _run_task_settings().provider_secret_arn), clock()
    )


@cache
def step_runner() -> StepRunner:
    """Join the parts of `functions/run_task`."""
    settings = _run_task_settings()
    db = Database(aws.dynamodb())
    # Providers name the result files; on one machine the provider is the simulator, on loopback.
    results = Outbound(AddressGuard(allow_loopback=settings.stage == "local"))
    return StepRunner(
        tasks=TaskRepository(db, settings.tasks_table),
        ledger=LedgerRepository(db, settings.accounts_table, settings.ledger_table),
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        providers=_provider_source().providers,
        catalog=_catalog(settings.live_providers),
        artifacts=ArtifactStore(aws.s3(), settings.media_bucket, settings.storage_url, results),
        queue=Queue(aws.sqs(), settings.task_queue_url),
        clock=clock(),
    )


@cache
def webhooks() -> WebhookService:
    """Join the parts of `functions/deliver_webhook`."""
    settings = DeliverWebhookSettings.from_env()
    db = Database(aws.dynamodb())
    return WebhookService(
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        task=TaskRepository(db, settings.tasks_table).get,
        account=AccountRepository(db, settings.accounts_table).get,
        outbound=Outbound(AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks)),
        queue=Queue(aws.sqs(), settings.webhook_queue_url),
        clock=clock(),
    )


@cache
def sweeper() -> Sweeper:
    """Join the parts of `functions/sweep`."""
    settings = SweepSettings.from_env()
    db = Database(aws.dynamodb())
    return Sweeper(
        tasks=TaskRepository(db, settings.tasks_table),
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        ledger=LedgerRepository(db, settings.accounts_table, settings.ledger_table),
        task_queue=Queue(aws.sqs(), settings.task_queue_url),
        webhook_queue=Queue(aws.sqs(), settings.webhook_queue_url),
        clock=clock(),
    )


@cache
def ledger_audit() -> LedgerAudit:
    """Join the parts of `functions/check_ledger`."""
    settings = CheckLedgerSettings.from_env()
    db = Database(aws.dynamodb())
    return LedgerAudit(
        accounts=AccountRepository(db, settings.accounts_table),
        ledger=LedgerRepository(db, settings.accounts_table, settings.ledger_table),
    )


@cache
def _catalog(live_providers: str) -> Catalog:
    names = frozenset(name.strip() for name in live_providers.split(",") if name.strip())
    return Catalog.shipped().with_live(names)


def forget() -> None:
    """Drop everything built so far; the next use reads settings and makes clients anew."""
    aws.forget_clients()
    for made in (
        api,
        dispatcher,
        step_runner,
        webhooks,
        sweeper,
        ledger_audit,
        clock,
        _catalog,
        _run_task_settings,
        _provider_source,
    ):
        made.cache_clear()
