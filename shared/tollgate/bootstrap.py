"""The one place that builds clients and joins parts: one cached function per Lambda.

Nothing is built at import, so a snapshot holds no connection, and tests start from a clean slate with
`forget()`.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.service import AccountService, Authenticator
from tollgate.artifacts.store import ArtifactStore
from tollgate.bootstrap_catalog import live_catalog
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.catalog.source import DOCUMENT_KEY, READ_TIMEOUT_S, CurrentCatalog, LiveCatalog
from tollgate.kit import aws
from tollgate.kit.addresses import AddressGuard
from tollgate.kit.clock import SystemClock
from tollgate.kit.document import within
from tollgate.kit.dynamodb import Database
from tollgate.kit.outbound import Outbound
from tollgate.kit.queue import Queue
from tollgate.kit.s3_document import S3Document
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
    catalog: LiveCatalog

    @property
    def listing(self) -> Listing:
        """Give what is published of the catalog of now."""
        return _listing(self.catalog.catalog())


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
    catalog = _live_catalog(settings.live_providers, settings.config_bucket)
    return Api(
        authenticator=Authenticator(keys, clock()),
        accounts=AccountService(AccountRepository(db, settings.accounts_table), keys, ledger, clock()),
        tasks=TaskService(
            tasks=TaskRepository(db, settings.tasks_table),
            ledger=ledger,
            idempotency=IdempotencyStore(settings.idempotency_table),
            catalog=CurrentCatalog(catalog.catalog),
            webhook_guard=AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks),
            prober=Prober(aws.lambda_(), settings.probe_function),
            clock=clock(),
        ),
        catalog=catalog,
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
        catalog=CurrentCatalog(_live_catalog(settings.live_providers, settings.config_bucket).catalog),
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
def _live_catalog(live_providers: str, bucket: str) -> LiveCatalog:
    document = S3Document(aws.s3(), bucket, DOCUMENT_KEY)
    return live_catalog(live_providers, within(READ_TIMEOUT_S, document.read), clock())


@lru_cache(maxsize=1)
def _listing(catalog: Catalog) -> Listing:
    """Give the pages of a catalog, made once for each that is the one of now."""
    return Listing(catalog)


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
        _live_catalog,
        _listing,
        _run_task_settings,
        _provider_source,
    ):
        made.cache_clear()
