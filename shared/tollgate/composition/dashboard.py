"""Creates the parts of `functions/dashboard`, in addition to the parts of `functions/api`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tollgate.account_closure.service import AccountClosureService
from tollgate.accounts.repository import AccountRepository
from tollgate.audit.refusals import Refusals
from tollgate.audit.repository import OnceLog
from tollgate.batches.reader import BatchReader
from tollgate.catalog.refresh import CurrentCatalog
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.composition.api import Api, ApiSettings
from tollgate.composition.database import database
from tollgate.composition.ledger import ledger_of
from tollgate.connectors.clients import Client
from tollgate.connectors.repository import CodeRepository
from tollgate.connectors.service import ConnectorService
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.settings import SettingsError
from tollgate.low_balance.monitor import BalanceMonitor
from tollgate.mail.sender import Mailer
from tollgate.members.identities import Identities
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.members.service import MemberService
from tollgate.payments.billing_service import BillingService
from tollgate.payments.repository import BillingRepository
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.scim.repository import DirectoryRepository
from tollgate.scim.service import DirectoryService
from tollgate.status.repository import IncidentRepository, StatusRepository
from tollgate.status.service import Checks, StatusPage
from tollgate.subaccounts.repository import SubaccountRepository
from tollgate.tasks.examples import Examples
from tollgate.tasks.repository import ExampleRepository
from tollgate.tasks.sharing import TaskSharing
from tollgate.tasks.watch import RouteWatch
from tollgate.usage.route_repository import MeasuredRoutes
from tollgate.web.chat_keys import ChatKeys
from tollgate.web.pool import PoolSettings
from tollgate.web.second_factor import SecondFactor
from tollgate.web.sessions import SessionStore
from tollgate.web.sign_ins import SignIns

if TYPE_CHECKING:
    from tollgate.connectors.documents import Documents
    from tollgate.web.cognito import Cognito


@dataclass(frozen=True, kw_only=True)
class DashboardSettings(ApiSettings):
    """Settings of `functions/dashboard`, which creates tasks like `functions/api`.

    `sign_in_parameter` is the name of the parameter with the user pool. The development sign-in needs no
    password, so it refuses to start outside local mode.
    """

    identities_table: str
    members_table: str
    sessions_table: str
    providers_table: str
    session_secret_arn: str
    sign_in_parameter: str | None = None
    tollgate_development_sign_in: bool = False
    mail_from: str | None = None
    # The operators' pages, which share these settings, have no batches
    responses_table: str = ""
    batch_queue_url: str = ""
    refill_queue_url: str = ""
    terms_url: str | None = None
    privacy_url: str | None = None
    contact_url: str | None = None

    @property
    def supplied_pages(self) -> dict[str, str]:
        """Return the addresses of the operator's pages, by their names: `terms`, `privacy`, `contact`."""
        pages = {"terms": self.terms_url, "privacy": self.privacy_url, "contact": self.contact_url}
        return {name: address for name, address in pages.items() if address}

    def __post_init__(self) -> None:
        """Refuse the development sign-in on AWS."""
        super().__post_init__()
        if self.tollgate_development_sign_in and self.stage != "local":
            raise SettingsError("TOLLGATE_DEVELOPMENT_SIGN_IN is for local mode only")


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The services that the routes of `functions/dashboard` call. `pool` is `None` without a user pool."""

    settings: DashboardSettings
    session_key: str
    identities: Identities
    members: MemberService
    directories: DirectoryService
    account_closure: AccountClosureService
    chat_keys: ChatKeys
    connectors: ConnectorService
    sessions: SessionStore
    sign_ins: SignIns
    health: ProviderHealthStore
    measures: MeasuredRoutes
    status: StatusPage
    second_factor: SecondFactor
    pool: PoolSettings | None

    @property
    def cognito(self) -> "Cognito | None":
        """Return the sign-in of the user pool; `None` without a user pool."""
        return None if self.pool is None else _cognito(self.pool)

    @property
    def clock(self) -> Clock:
        """Return the clock that all parts share."""
        return parts.clock()

    @property
    def upload_origin(self) -> str:
        """Return the origin to which the browser uploads files."""
        return self.api.files.uploads.origin

    @property
    def billing(self) -> BillingService:
        """Return the service for billing details and the saved card."""
        api = self.api
        rows = BillingRepository(database(), api.budgets_table)
        return BillingService(rows, api.low_balance, api.payments.ledger, api.audit, api.payments.source.keys)

    @property
    def balance_monitor(self) -> BalanceMonitor:
        """Return the check of a balance, for an owner who sets the threshold of a balance that is low."""
        api = self.api
        return BalanceMonitor(
            low_balances=api.low_balance.low_balances,
            accounts=api.webhooks.accounts,
            ledger=api.payments.ledger,
            deliveries=api.webhooks.deliveries,
            queue=Queue(sdk.sqs(), self.settings.refill_queue_url),
            clock=parts.clock(),
        )

    @property
    def batches(self) -> BatchReader:
        """Return the service for batches of text requests."""
        known = self.settings

        def send(message: Mapping[str, Any]) -> None:
            Queue(sdk.sqs(), known.batch_queue_url).send(message)

        return BatchReader(database(), known.responses_table, self.api.files.uploads, send, parts.clock())

    @property
    def examples(self) -> Examples:
        """Return the service for examples of models."""
        return Examples(ExampleRepository(database(), self.api.budgets_table), self.sharing)

    @property
    def sharing(self) -> TaskSharing:
        """Return the service for public pages of results."""
        api = self.api
        return TaskSharing(api.deletion.tasks, api.reader, api.accounts, api.audit)

    @property
    def api(self) -> Api:
        """Return the parts of `functions/api`, because pages use the same services as the API."""
        return api_parts.api()


@parts.part
def dashboard_settings() -> DashboardSettings:
    """Read the settings. They are separate from the parts, because an error page needs only the settings."""
    return DashboardSettings.from_env()


@parts.part
def dashboard() -> Dashboard:
    """Create the parts of `functions/dashboard`."""
    settings = dashboard_settings()
    db = database()
    accounts = AccountRepository(db, settings.accounts_table)
    ledger = ledger_of(settings)
    people = IdentityRepository(db, settings.identities_table, accounts)
    teams = TeamRepository(db, settings.members_table)
    sessions = SessionStore(db, settings.sessions_table, parts.clock())
    health = ProviderHealthStore(db, settings.providers_table, parts.clock())
    # Read when the parts are created, not per request: it signs the cookies of all visitors.
    secret = sdk.secrets_manager().get_secret_value(SecretId=settings.session_secret_arn)
    pool = _pool(settings.sign_in_parameter)
    keys, audit = api_parts.api().keys, api_parts.api().audit
    refusals = Refusals(OnceLog(audit, settings.idempotency_table), parts.clock())
    members = MemberService(
        teams=teams,
        people=people,
        keys=keys,
        audit=audit,
        refusals=refusals,
        mailer=Mailer(sdk.sesv2, settings.mail_from or ""),
        clock=parts.clock(),
    )
    return Dashboard(
        settings=settings,
        session_key=secret["SecretString"],
        identities=Identities(people, teams, ledger, parts.clock()),
        members=members,
        directories=DirectoryService(
            directories=DirectoryRepository(db, settings.identities_table),
            teams=teams,
            people=people,
            members=members,
            audit=audit,
            clock=parts.clock(),
        ),
        account_closure=AccountClosureService(
            teams=teams,
            accounts=api_parts.api().accounts,
            keys=keys,
            sessions=sessions,
            ledger=ledger,
            low_balances=api_parts.api().low_balance.low_balances,
            subaccounts=SubaccountRepository(db, settings.budgets_table),
            audit=audit,
            clock=parts.clock(),
        ),
        chat_keys=ChatKeys(keys.keys, audit, parts.clock(), secret["SecretString"]),
        connectors=ConnectorService(
            key_service=keys,
            members=members,
            codes=CodeRepository(db, settings.sessions_table),
            described=_described,
            clock=parts.clock(),
            secret=secret["SecretString"],
        ),
        sessions=sessions,
        sign_ins=SignIns(sessions, people, keys, audit, refusals),
        health=health,
        measures=MeasuredRoutes(db, settings.usage_table, parts.clock()),
        status=_status(settings, health),
        second_factor=SecondFactor(
            None if pool is None else sdk.cognito(), "" if pool is None else pool.pool_id, sessions, audit
        ),
        pool=pool,
    )


def _status(settings: DashboardSettings, health: ProviderHealthStore) -> StatusPage:
    api, rows = api_parts.api(), StatusRepository(database(), settings.usage_table)
    # The parts are kept, and the catalog changes.
    watch = RouteWatch(CurrentCatalog(api.catalog.catalog), health, parts.clock())
    incidents = IncidentRepository(database(), settings.budgets_table)
    return StatusPage(Checks(rows, watch), rows, incidents, parts.clock())


def _pool(parameter: str | None) -> PoolSettings | None:
    if parameter is None:
        return None
    found = sdk.ssm().get_parameter(Name=parameter)["Parameter"]["Value"]
    return PoolSettings.model_validate_json(found)


def _described(client_id: str) -> Client:
    return _documents().find(client_id)


@parts.part
def _documents() -> "Documents":
    """Return the process's only instance, because it caches documents. Its HTTP client is slow to import."""
    from tollgate.connectors.documents import Documents  # noqa: PLC0415
    from tollgate.kit.http.outbound import Outbound  # noqa: PLC0415

    return Documents(Outbound(AddressGuard()), parts.clock())


@parts.part
def _cognito(pool: PoolSettings) -> "Cognito":
    """Return the process's only instance, because it caches the pool's metadata.

    The import here is late, because the module's library is slow to import.
    """
    from tollgate.web.cognito import Cognito  # noqa: PLC0415

    return Cognito(pool)
