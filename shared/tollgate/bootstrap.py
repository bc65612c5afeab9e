"""The one place that builds clients and joins parts: one cached function per Lambda.

Nothing is built at import, so a snapshot holds no connection, and tests start from a clean slate with
`forget()`. What only one function uses and takes long to load is imported where it is joined, so that no
other's cold start pays for it: the adapters of all providers, an HTTP client, a template engine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from tollgate.accounts.auth import Authenticator
from tollgate.accounts.key_service import KeyService
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.service import AccountService
from tollgate.artifacts.inputs import InputStore
from tollgate.bootstrap_catalog import live_catalog
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.catalog.source import DOCUMENT_KEY, READ_TIMEOUT_S, CurrentCatalog, LiveCatalog
from tollgate.kit import aws
from tollgate.kit.addresses import AddressGuard
from tollgate.kit.clock import MS_PER_DAY, SystemClock
from tollgate.kit.document import within
from tollgate.kit.due_index import DueIndex
from tollgate.kit.dynamodb import Database
from tollgate.kit.queue import Queue
from tollgate.kit.s3_document import S3Document
from tollgate.kit.settings import (
    ApiSettings,
    CheckLedgerSettings,
    DeliverWebhookSettings,
    DispatchChangesSettings,
    RecordUsageSettings,
    RunTaskSettings,
    SweepSettings,
)
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit
from tollgate.ledger.statement import Statement
from tollgate.payments.secret import StripeKeySource
from tollgate.payments.service import PaymentService
from tollgate.probing.service import Prober
from tollgate.providers.mappings import mappings
from tollgate.tasks.callbacks import Callbacks
from tollgate.tasks.dispatch import Dispatcher
from tollgate.tasks.idempotency import IdempotencyStore
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.service import TaskService
from tollgate.tasks.sweep import Sweeper
from tollgate.usage.recorder import UsageRecorder
from tollgate.usage.repository import RollUp, UsageRepository
from tollgate.usage.service import StatisticsService
from tollgate.webhooks.repository import DeliveryRepository, LaneRepository
from tollgate.webhooks.service import WebhookService

if TYPE_CHECKING:
    from tollgate.providers.credentials import ProviderSource
    from tollgate.reference.pages import Reference
    from tollgate.tasks.step import StepRunner
    from tollgate.webhooks.sender import WebhookSender


@dataclass(frozen=True, slots=True)
class Api:
    """What the routes of `functions/api` call."""

    authenticator: Authenticator
    accounts: AccountService
    keys: KeyService
    tasks: TaskService
    reader: TaskReader
    meter: RateMeter
    callbacks: Callbacks
    webhooks: WebhookService
    statistics: StatisticsService
    statement: Statement
    payments: PaymentService
    catalog: LiveCatalog

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Give the `x-ratelimit-*` headers of an account as this process knows them."""
        return self.meter.headers(account_id, clock().now_ms())

    @property
    def listing(self) -> Listing:
        """Give what is published of the catalog of now."""
        return _listing(self.catalog.catalog())

    @property
    def reference(self) -> "Reference":
        """Give the reference with the catalog of now."""
        return _reference(self.catalog.catalog())


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
    accounts = AccountRepository(db, settings.accounts_table)
    keys = ApiKeyRepository(db, settings.api_keys_table)
    catalog = _live_catalog(settings.live_providers, settings.config_bucket)
    current = CurrentCatalog(catalog.catalog)
    tasks = TaskRepository(db, settings.tasks_table)
    reader = TaskReader(tasks, current)
    meter = RateMeter(settings.requests_per_minute)
    task_queue = _when_needed(settings.task_queue_url)
    webhook_guard = AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks)
    return Api(
        authenticator=Authenticator(keys, clock()),
        accounts=AccountService(accounts, keys, ledger, clock()),
        keys=KeyService(keys, accounts, lambda model_id: current.find(model_id) is not None, clock()),
        tasks=TaskService(
            tasks=tasks,
            ledger=ledger,
            idempotency=IdempotencyStore(settings.idempotency_table),
            catalog=current,
            webhook_guard=webhook_guard,
            prober=Prober(aws.lambda_(), settings.probe_function),
            inputs=InputStore(aws.s3(), settings.media_bucket, settings.storage_url),
            reader=reader,
            meter=meter,
            queue=task_queue,
            clock=clock(),
        ),
        reader=reader,
        meter=meter,
        callbacks=Callbacks(tasks, task_queue),
        webhooks=WebhookService(
            deliveries=DeliveryRepository(db, settings.deliveries_table),
            accounts=accounts,
            queue=_when_needed(settings.webhook_queue_url),
            guard=webhook_guard,
            clock=clock(),
        ),
        statistics=StatisticsService(UsageRepository(db, settings.usage_table), clock()),
        statement=Statement(ledger),
        payments=PaymentService(_stripe_keys(settings.stripe_secret_arn), ledger, clock()),
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
def _provider_source() -> "ProviderSource":
    from tollgate.providers.credentials import ProviderSource  # noqa: PLC0415 - see the module

    return ProviderSource(aws.secret_reader(_run_task_settings().provider_secret_arn), clock())


@cache
def step_runner() -> "StepRunner":
    """Join the parts of `functions/run_task`."""
    from tollgate.artifacts.store import ArtifactStore  # noqa: PLC0415 - see the module
    from tollgate.kit.outbound import Outbound  # noqa: PLC0415
    from tollgate.providers.board import HealthBoard  # noqa: PLC0415
    from tollgate.tasks.ending import TaskEnder  # noqa: PLC0415
    from tollgate.tasks.step import StepRunner  # noqa: PLC0415

    settings = _run_task_settings()
    db = Database(aws.dynamodb())
    # Providers name the result files; on one machine the provider is the simulator, on loopback.
    results = Outbound(AddressGuard(allow_loopback=settings.stage == "local"))
    tasks = TaskRepository(db, settings.tasks_table)
    ledger = LedgerRepository(db, settings.accounts_table, settings.ledger_table)
    queue = Queue(aws.sqs(), settings.task_queue_url)
    return StepRunner(
        tasks=tasks,
        timers=DueIndex(db, settings.tasks_table, "task_id"),
        ledger=ledger,
        ender=TaskEnder(tasks, ledger, DeliveryRepository(db, settings.deliveries_table), queue, clock()),
        providers=_provider_source().providers,
        board=HealthBoard(db, settings.providers_table, clock()),
        catalog=CurrentCatalog(_live_catalog(settings.live_providers, settings.config_bucket).catalog),
        artifacts=ArtifactStore(aws.s3(), settings.media_bucket, settings.storage_url, results),
        queue=queue,
        clock=clock(),
        callback_base_url=settings.callback_base_url,
        kept_ms=settings.media_retention_days * MS_PER_DAY or None,
    )


@cache
def webhook_sender() -> "WebhookSender":
    """Join the parts of `functions/deliver_webhook`."""
    from tollgate.kit.outbound import Outbound  # noqa: PLC0415 - see the module
    from tollgate.webhooks.sender import WebhookSender  # noqa: PLC0415

    settings = DeliverWebhookSettings.from_env()
    db = Database(aws.dynamodb())
    return WebhookSender(
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        lanes=LaneRepository(db, settings.webhook_lanes_table),
        task=TaskRepository(db, settings.tasks_table).get,
        account=AccountRepository(db, settings.accounts_table).get,
        outbound=Outbound(AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks)),
        queue=Queue(aws.sqs(), settings.webhook_queue_url),
        clock=clock(),
    )


@cache
def usage_recorder() -> UsageRecorder:
    """Join the parts of `functions/record_usage`."""
    settings = RecordUsageSettings.from_env()
    db = Database(aws.dynamodb())
    return UsageRecorder(RollUp(db, settings.usage_table, settings.counted_entries_table), clock())


@cache
def sweeper() -> Sweeper:
    """Join the parts of `functions/sweep`."""
    settings = SweepSettings.from_env()
    db = Database(aws.dynamodb())
    return Sweeper(
        tasks=DueIndex(db, settings.tasks_table, "task_id"),
        deliveries=DueIndex(db, settings.deliveries_table, "delivery_id"),
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
    return live_catalog(live_providers, within(READ_TIMEOUT_S, document.read), clock(), mappings())


def _stripe_keys(secret_arn: str) -> StripeKeySource:
    return StripeKeySource(aws.secret_reader(secret_arn), clock())


def _when_needed(queue_url: str) -> Callable[[], Queue]:
    """Give a queue when it is first needed: most requests need none, and a client takes its time."""
    return cache(lambda: Queue(aws.sqs(), queue_url))


@lru_cache(maxsize=1)
def _listing(catalog: Catalog) -> Listing:
    """Give the pages of a catalog, made once for each that is the one of now."""
    return Listing(catalog)


@lru_cache(maxsize=1)
def _reference(catalog: Catalog) -> "Reference":
    """Give the reference, made once for each catalog that is the one of now.

    It is imported here: few processes are asked for it, and it brings a template engine.
    """
    from tollgate.reference.pages import Reference  # noqa: PLC0415 - see above

    return Reference(catalog)


def forget() -> None:
    """Drop everything built so far; the next use reads settings and makes clients anew."""
    aws.forget_clients()
    for made in (
        api,
        dispatcher,
        step_runner,
        webhook_sender,
        usage_recorder,
        sweeper,
        ledger_audit,
        clock,
        _live_catalog,
        _listing,
        _reference,
        _run_task_settings,
        _provider_source,
    ):
        made.cache_clear()
