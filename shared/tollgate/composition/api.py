"""Creates the parts of `functions/api`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.accounts.answers_service import AnswerSettings
from tollgate.accounts.auth import Authenticator
from tollgate.accounts.key_service import KeyService
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.routing_service import RoutingPolicies
from tollgate.accounts.service import AccountService
from tollgate.activity.records_service import RequestRecords
from tollgate.activity.service import ActivityService
from tollgate.artifacts.files import CustomerFiles
from tollgate.artifacts.results import Results
from tollgate.audit.repository import AuditLog
from tollgate.budgets.service import BudgetService

# Imported for the snapshot, because models import them only when they check an input.
from tollgate.catalog import checking, input_classes  # noqa: F401
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.catalog.refresh import CurrentCatalog, LiveCatalog
from tollgate.composition.creates import CreateSettings, task_service
from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings, ledger_of
from tollgate.composition.media_catalog import media_catalog
from tollgate.composition.parts import clock, part
from tollgate.exports.focus_file import FocusFiles
from tollgate.exports.repository import ExportRepository
from tollgate.exports.service import ExportService
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.observability import logger
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.rate import RateMeter, with_lower_remaining
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.request_counts import RequestMeter, StaleCountError
from tollgate.ledger.statement import Statement
from tollgate.ledger.wallets import DEFAULT, KnownLimits
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.low_balance.service import LowBalanceService
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.repository import PaymentRepository
from tollgate.payments.secret import StripeKeySource
from tollgate.payments.service import PaymentService
from tollgate.projects.repository import ProjectRepository
from tollgate.projects.service import ProjectService
from tollgate.providers.runtime.accounts import known_providers
from tollgate.run_tokens.repository import RunTokenRepository
from tollgate.run_tokens.service import RunTokenService
from tollgate.seals.repository import SealRepository
from tollgate.seals.service import SealedLedger
from tollgate.tasks.callbacks import Callbacks
from tollgate.tasks.deletion import FileDeletion
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.service import TaskService
from tollgate.usage.monthly_statements import MonthlyStatements
from tollgate.usage.openrouter import OpenRouterAccount
from tollgate.usage.repository import UsageRepository
from tollgate.usage.service import StatisticsService
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.webhooks.service import WebhookService

if TYPE_CHECKING:
    from tollgate.quotes.service import QuoteService
    from tollgate.reference.pages import Reference
    from tollgate.subaccounts.service import SubaccountService
    from tollgate.text.routes.exchanges import RouteCheck
    from tollgate.workflows.service import WorkflowService


@dataclass(frozen=True, kw_only=True)
class ApiSettings(CreateSettings):
    """Settings of `functions/api`. The operators' pages have no `probe_function`."""

    api_keys_table: str
    idempotency_table: str
    live_providers: str
    config_bucket: str
    task_queue_url: str
    deliveries_table: str
    webhook_queue_url: str
    usage_table: str
    stripe_secret_arn: str
    stripe_tax: bool = False
    watches_table: str
    audit_table: str
    exporter_arn: str | None = None


@dataclass(frozen=True, kw_only=True)
class SealedSettings(LedgerSettings):
    """Settings for seals. The operator console shares the services of the API, but has no seals."""

    seals_table: str


@dataclass(frozen=True, slots=True)
class Api:
    """The services that the routes of `functions/api` call."""

    files: CustomerFiles
    results: Results
    authenticator: Authenticator
    accounts: AccountService
    keys: KeyService
    budgets: BudgetService
    routing: RoutingPolicies
    tokens: RunTokenService
    projects: ProjectService
    tasks: TaskService
    reader: TaskReader
    deletion: FileDeletion
    meter: RateMeter
    requests: RequestMeter
    accounts_table: str
    limits: KnownLimits
    callbacks: Callbacks
    webhooks: WebhookService
    statistics: StatisticsService
    months: MonthlyStatements
    statement: Statement
    records: RequestRecords
    openrouter: OpenRouterAccount
    payments: PaymentService
    low_balance: LowBalanceService
    answers: AnswerSettings
    audit: AuditLog
    catalog: LiveCatalog
    budgets_table: str

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers of an account, from the counts of this process."""
        now_ms, limits = clock().now_ms(), self.limits.get(account_id) or DEFAULT
        headers = self.meter.headers(account_id, now_ms, limits)
        return with_lower_remaining(headers, self.requests.left(account_id, now_ms, limits))

    def count(self, account_id: str) -> None:
        """Count a request of any kind. Raises `RateLimitedError`."""
        self.requests.count(account_id, clock().now_ms(), self.limits.get(account_id) or DEFAULT)

    def share_count(self, account_id: str) -> None:
        """Add this process's count to the account's row when it is large enough."""
        limits = self.limits.get(account_id) or DEFAULT
        share = self.requests.take(self.accounts_table, account_id, clock().now_ms(), limits)
        if share is None:
            return
        try:
            database().write(share.write)
        except StaleCountError as exc:
            self.requests.moved(account_id, share, exc, clock().now_ms())
        except (BotoCoreError, ClientError, StorageBusyError):
            # The requests still count in this process, so the response is not affected.
            logger.warning("api.count_not_told")

    @property
    def quotes(self) -> "QuoteService":
        """Return the service of quotes. It is imported here because it imports the text requests' rules."""
        from tollgate.quotes.repository import QuoteRepository  # noqa: PLC0415 - see above
        from tollgate.quotes.service import QuoteService  # noqa: PLC0415 - see above

        rows = QuoteRepository(database(), self.budgets_table)
        ledger, catalog = self.tasks.ledger, self.tasks.catalog
        return QuoteService(rows, self.tasks, ledger, catalog, _route_check(), clock())

    @property
    def workflows(self) -> "WorkflowService":
        """Return the service of workflows. It is imported here for the same reason."""
        from tollgate.quotes.repository import QuoteRepository  # noqa: PLC0415 - see above
        from tollgate.workflows.pricing import StepPricing  # noqa: PLC0415 - see above
        from tollgate.workflows.reader import WorkflowReader  # noqa: PLC0415 - see above
        from tollgate.workflows.repository import WorkflowRepository  # noqa: PLC0415 - see above
        from tollgate.workflows.service import WorkflowService  # noqa: PLC0415 - see above

        quotes = QuoteRepository(database(), self.budgets_table)
        pricing = StepPricing(self.tasks, self.tasks.catalog, _route_check())
        rows, tasks = WorkflowRepository(database(), ApiSettings.from_env().tasks_table), self.tasks
        reader = WorkflowReader(rows, tasks.tasks.get_all, tasks.reader.address)
        return WorkflowService(reader, quotes, self.tasks, pricing, clock())

    @property
    def sealed(self) -> SealedLedger:
        """Return the service for statements with proofs, receipts and the keys of the ledger."""
        return _sealed_ledger()

    @property
    def exports(self) -> ExportService:
        """Return the settings of exports."""
        return _exports(self.audit)

    @property
    def focus(self) -> FocusFiles:
        """Return the files of costs."""
        return FocusFiles(self.statement.ledger, clock())

    @property
    def subaccounts(self) -> "SubaccountService":
        """Return the service for sub-accounts."""
        return _subaccounts()

    @property
    def activity(self) -> ActivityService:
        """Return the lists of requests."""
        return self.records.activity

    @property
    def listing(self) -> Listing:
        """Return the published pages of the current catalog."""
        return _listing(self.catalog.catalog())

    @property
    def reference(self) -> "Reference":
        """Return the reference for the current catalog."""
        return _reference(self.catalog.catalog())


@part
def api() -> Api:
    """Create the parts of `functions/api`."""
    settings = ApiSettings.from_env()
    db = database()
    accounts = AccountRepository(db, settings.accounts_table)
    keys = ApiKeyRepository(db, settings.api_keys_table)
    catalog = media_catalog(settings.live_providers, settings.config_bucket)
    # Services are created once, but the catalog changes. This one always reads the current catalog.
    current, task_queue = CurrentCatalog(catalog.catalog), _when_needed(settings.task_queue_url)
    service = task_service(settings, current, task_queue, settings.idempotency_table)
    ledger, tasks, reader = service.ledger, service.tasks, service.reader
    webhook_guard = service.webhook_guard
    results = Results(sdk.s3(), settings.media_bucket, settings.storage_url)
    usage = UsageRepository(db, settings.usage_table)
    funds = partial(_total_funds, accounts, ledger)
    budgets = BudgetRepository(db, settings.accounts_table, settings.budgets_table)
    runs = RunTokenRepository(db, settings.budgets_table)
    projects = ProjectRepository(db, settings.budgets_table)
    audit = AuditLog(db, settings.audit_table, clock())
    low_balance = LowBalanceService(LowBalanceRepository(db, settings.watches_table), audit, webhook_guard)
    return Api(
        files=CustomerFiles(service.inputs.uploads, audit),
        results=results,
        authenticator=Authenticator(keys, clock()),
        accounts=AccountService(accounts, keys, ledger, clock()),
        keys=KeyService(
            keys, accounts, current.id_of, budgets, audit, clock(), projects.join, known_providers()
        ),
        projects=ProjectService(projects, keys, audit, clock()),
        budgets=BudgetService(budgets, keys, audit, clock(), webhook_guard),
        routing=RoutingPolicies(budgets, audit, known_providers()),
        tokens=RunTokenService(keys, runs, budgets, current.id_of, audit, clock(), webhook_guard),
        tasks=service,
        reader=reader,
        deletion=FileDeletion(tasks, reader, results, audit, clock()),
        meter=service.charges.meter,
        requests=RequestMeter(settings.requests_per_minute),
        accounts_table=settings.accounts_table,
        limits=service.charges.limits,
        callbacks=Callbacks(tasks, task_queue),
        webhooks=_webhooks(settings, accounts, webhook_guard, audit),
        statistics=StatisticsService(usage, clock(), keys.members),
        months=MonthlyStatements(usage, ledger, funds, clock()),
        statement=Statement(ledger),
        records=RequestRecords(ActivityService(ledger, tasks), keys.members),
        openrouter=OpenRouterAccount(accounts, ledger, usage, budgets, funds, clock()),
        payments=_payments(settings, ledger, accounts, audit, low_balance),
        low_balance=low_balance,
        answers=AnswerSettings(accounts, audit),
        audit=audit,
        catalog=catalog,
        budgets_table=settings.budgets_table,
    )


@part
def _route_check() -> "RouteCheck":
    # Imported here, because only quotes and workflows need the rules of text requests.
    from tollgate.providers.runtime.text_registry import (  # noqa: PLC0415 - see above
        known_text_providers,
        translating_upstreams,
    )
    from tollgate.text.routes.exchanges import RouteCheck  # noqa: PLC0415 - see above

    return RouteCheck(known_text_providers(), translating_upstreams())


@part
def _sealed_ledger() -> SealedLedger:
    settings = SealedSettings.from_env()
    return SealedLedger(ledger_of(settings), SealRepository(database(), settings.seals_table), clock())


def _exports(audit: AuditLog) -> ExportService:
    settings = ApiSettings.from_env()
    guard = AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks)
    exports = ExportRepository(database(), settings.budgets_table)
    return ExportService(exports, audit, guard, settings.exporter_arn or "none on this machine")


@part
def _subaccounts() -> "SubaccountService":
    # Imported here, because few accounts have sub-accounts.
    from tollgate.composition.subaccounts import subaccount_service  # noqa: PLC0415 - see above

    parts = api()
    return subaccount_service(parts.accounts, parts.keys, parts.audit, parts.low_balance.guard)


def _webhooks(
    settings: ApiSettings, accounts: AccountRepository, guard: AddressGuard, audit: AuditLog
) -> WebhookService:
    return WebhookService(
        deliveries=DeliveryRepository(database(), settings.deliveries_table),
        accounts=accounts,
        queue=_when_needed(settings.webhook_queue_url),
        guard=guard,
        audit=audit,
        clock=clock(),
    )


def _payments(
    settings: ApiSettings,
    ledger: LedgerRepository,
    accounts: AccountRepository,
    audit: AuditLog,
    low_balance: LowBalanceService,
) -> PaymentService:
    payments = PaymentRepository(database(), settings.idempotency_table)
    book = PaymentBook(payments, ledger, accounts, audit, clock())
    # The keys are read on the first payment, so the API works without a Stripe account.
    keys = _stripe_keys(settings.stripe_secret_arn, has_tax=settings.stripe_tax)
    return PaymentService(keys, ledger, book, low_balance, clock())


def _total_funds(accounts: AccountRepository, ledger: LedgerReader, account_id: str) -> int:
    """Return an account's money in micro-USD, including holds that are not settled."""
    account = accounts.get(account_id)
    return 0 if account is None else ledger.total_funds(account_id, account.balance_micro_usd, account.holds)


def _stripe_keys(secret_arn: str, *, has_tax: bool) -> StripeKeySource:
    return StripeKeySource(sdk.secret_reader(secret_arn), clock(), sdk.report_unread, has_tax=has_tax)


def _when_needed(queue_url: str) -> Callable[[], Queue]:
    """Return a queue that is created on first use.

    Most requests need no queue, and creating a client is slow.
    """
    return cache(lambda: Queue(sdk.sqs(), queue_url))


@lru_cache(maxsize=1)
def _listing(catalog: Catalog) -> Listing:
    """Return the pages of a catalog, rendered once per catalog."""
    return Listing(catalog, known_providers())


@lru_cache(maxsize=1)
def _reference(catalog: Catalog) -> "Reference":
    """Return the reference of a catalog, rendered once per catalog.

    It is imported here because few processes need it, and it imports a template engine.
    """
    from tollgate.reference.pages import Reference  # noqa: PLC0415 - see above

    return Reference(catalog)
