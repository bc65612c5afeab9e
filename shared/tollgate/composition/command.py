"""Creates the parts of the operator's command, in addition to the parts of the functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository
from tollgate.audit.events import OPERATOR
from tollgate.catalog.loader import compiled
from tollgate.catalog.refresh import DOCUMENT_KEY
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.composition import parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.composition.api import Api
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.kit.aws import sdk
from tollgate.kit.aws.dead_letters import DeadLetters
from tollgate.kit.aws.queue import Queue
from tollgate.kit.aws.s3_document import S3Document
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.changes import ChangeReader
from tollgate.ledger.callers import Caller
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.operator.accounts import AccountConsole
from tollgate.operator.changes import Change, ChangesRedrive, NotHandledError
from tollgate.operator.console import OperatorConsole
from tollgate.operator.dead_letters import DeadLetterConsole, Work
from tollgate.operator.incidents import IncidentConsole
from tollgate.operator.overview import OperatorOverview
from tollgate.operator.prices import PriceConsole, lines_of, margins_of
from tollgate.operator.provider_measures import ProviderMeasure, of_media, of_text
from tollgate.operator.providers import ProviderConsole
from tollgate.operator.tasks import TaskConsole
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.reconciliation.books import by_provider
from tollgate.reconciliation.repository import ReconciliationRepository
from tollgate.reconciliation.service import Reconciler
from tollgate.status.repository import IncidentRepository
from tollgate.subaccounts.suspending import FamilySuspension
from tollgate.tasks.audit import SlotCountAudit
from tollgate.tasks.dispatch import Dispatcher
from tollgate.tasks.examples import Examples
from tollgate.tasks.repository import ExampleRepository, TaskRepository
from tollgate.tasks.sharing import TaskSharing
from tollgate.usage.counts import BALANCE_KINDS
from tollgate.usage.recorder import UsageRecorder


@dataclass(frozen=True, kw_only=True)
class CommandSettings(SpendingSettings):
    """Settings of the operator's command. Only the command uses the dead-letter queues."""

    tasks_table: str
    config_bucket: str
    identities_table: str
    members_table: str
    providers_table: str
    live_providers: str
    task_queue_url: str
    webhook_queue_url: str
    task_dlq_url: str
    webhook_dlq_url: str
    changes_dlq_url: str
    usage_dlq_url: str
    refill_queue_url: str
    refill_dlq_url: str
    mail_queue_url: str
    mail_dlq_url: str
    thumbnail_queue_url: str
    thumbnail_dlq_url: str
    batch_queue_url: str = ""
    """Missing for the operators' pages, whose variables have no room for it."""
    batch_dlq_url: str = ""


# Tasks of an account on the console's first page.
NEWEST_TASKS = "20"
# Days among which the newest one with costs is looked for.
COST_DAYS = 7


@dataclass(frozen=True, slots=True)
class Operator:
    """The services for commands about a running service.

    Data that a customer can see is read through `api`.
    """

    settings: CommandSettings
    api: Api
    clock: Clock
    accounts: AccountRepository
    ledger: LedgerRepository
    tasks: TaskRepository
    people: IdentityRepository
    teams: TeamRepository
    health: ProviderHealthStore
    ledger_audit: LedgerAudit
    slot_counts: SlotCountAudit
    dispatcher: Dispatcher
    usage_recorder: UsageRecorder
    changes: ChangeReader
    who: str = OPERATOR
    """The name in the audit log, unless a console replaces it."""

    @property
    def console(self) -> OperatorConsole:
        """Return the console that records actions without an account."""
        return OperatorConsole(audit=self.api.audit, who=self.who)

    @property
    def reconciler(self) -> Reconciler:
        """Return the comparison of costs. Only the command has its settings."""
        return check_ledger_parts.reconciler()

    @property
    def reconciliations(self) -> ReconciliationRepository:
        """Return the reader of the days that were compared."""
        return check_ledger_parts.reconciliations()

    @property
    def account_console(self) -> AccountConsole:
        """Return the console for actions on accounts."""
        family = self.api.subaccounts
        return AccountConsole(
            accounts=self.accounts,
            service=self.api.accounts,
            ledger=self.ledger,
            tasks=self.tasks,
            keys=self.api.keys,
            statement=self.api.statement,
            emails_of=self.people.emails,
            account_of=self.people.account_of_email,
            audit=self.api.audit,
            teams=self.teams,
            payments=self.api.payments.book,
            family=FamilySuspension(family.subaccounts, family.families, self.ledger, self.clock),
            clock=self.clock,
            who=self.who,
        )

    @property
    def overview(self) -> OperatorOverview:
        """Return the reader of the console's first page."""
        api = self.api
        return OperatorOverview(
            accounts=self.accounts,
            keys=api.keys.keys,
            ledger=self.ledger,
            tasks=self.tasks,
            usage=api.statistics.usage,
            emails_of=self.people.emails,
            margins_of=self._margins_of,
            newest_tasks=lambda account_id: (
                api.reader.found(Caller.of_account(account_id), {"limit": NEWEST_TASKS}).rows
            ),
            open_tasks=api.reader.open_tasks,
            clock=self.clock,
        )

    @property
    def sharing(self) -> TaskSharing:
        """Return the service for public pages of results."""
        return TaskSharing(self.tasks, self.api.reader, self.api.accounts, self.api.audit)

    @property
    def examples(self) -> Examples:
        """Return the service for examples of models."""
        return Examples(ExampleRepository(database(), self.api.budgets_table), self.sharing)

    @property
    def task_console(self) -> TaskConsole:
        """Return the console for actions on tasks."""
        api = self.api
        return TaskConsole(
            tasks=self.tasks,
            ledger=self.ledger,
            reader=api.reader,
            service=api.tasks,
            statement=api.statement,
            webhooks=api.webhooks,
            audit=api.audit,
            clock=self.clock,
            who=self.who,
        )

    @property
    def provider_console(self) -> ProviderConsole:
        """Return the console for actions on providers."""
        live = frozenset(self.settings.live_providers.split(","))
        return ProviderConsole(
            health=self.health,
            catalog=self.api.catalog,
            live=live,
            clock=self.clock,
            audit=self.api.audit,
            who=self.who,
        )

    @property
    def incident_console(self) -> IncidentConsole:
        """Return the console for incidents on the status page."""
        rows = IncidentRepository(database(), self.api.budgets_table)
        return IncidentConsole(rows=rows, clock=self.clock, audit=self.api.audit, who=self.who)

    def media_measures(self) -> dict[str, ProviderMeasure]:
        """Return how the providers of generations did, by name."""
        return of_media(self.overview.sampled(), self.clock.now_ms())

    def provider_costs(self) -> tuple[str, dict[str, int]]:
        """Return the newest day with costs, and the cost at each provider on it; empty without such a day."""
        days = self.reconciliations.newest(self.clock.now_ms(), COST_DAYS)
        return (days[0].day, by_provider(days[0].books)) if days else ("", {})

    def text_measures(self) -> list[ProviderMeasure]:
        """Return how the providers of text did."""
        models = [model.id for model in self.api.catalog.catalog().text_models()]
        return of_text(self.api.statistics.usage.text_calls(models, self.clock.now_ms()))

    @property
    def price_console(self) -> PriceConsole:
        """Return the console for changes of prices."""
        document = S3Document(sdk.s3(), self.settings.config_bucket, DOCUMENT_KEY)
        api = self.api
        return PriceConsole(
            document=document,
            shipped=compiled,
            live=api.catalog,
            accounts=self.accounts,
            statistics=api.statistics,
            audit=api.audit,
            who=self.who,
        )

    @property
    def dead_letter_console(self) -> DeadLetterConsole:
        """Return the console for dead letters."""
        settings = self.settings
        letters = {
            Work.TASKS: settings.task_dlq_url,
            Work.WEBHOOKS: settings.webhook_dlq_url,
            Work.REFILLS: settings.refill_dlq_url,
            Work.MAILS: settings.mail_dlq_url,
            Work.THUMBNAILS: settings.thumbnail_dlq_url,
            Work.BATCHES: settings.batch_dlq_url,
            Work.CHANGES: settings.changes_dlq_url,
            Work.USAGE: settings.usage_dlq_url,
        }
        queues = {
            Work.TASKS: settings.task_queue_url,
            Work.WEBHOOKS: settings.webhook_queue_url,
            Work.REFILLS: settings.refill_queue_url,
            Work.MAILS: settings.mail_queue_url,
            Work.THUMBNAILS: settings.thumbnail_queue_url,
            Work.BATCHES: settings.batch_queue_url,
        }
        return DeadLetterConsole(
            letters={work: DeadLetters(sdk.sqs(), url) for work, url in letters.items() if url},
            queues={work: Queue(sdk.sqs(), url) for work, url in queues.items() if url},
            changes={
                Work.CHANGES: ChangesRedrive(self.changes, self._dispatch),
                Work.USAGE: ChangesRedrive(self.changes, self._count),
            },
            audit=self.api.audit,
            who=self.who,
        )

    def _margins_of(self, model_id: str) -> tuple[int, int] | None:
        found = self.api.catalog.catalog().find_by_id(model_id)
        return None if found is None else margins_of(lines_of(found))

    def _dispatch(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.dispatcher.dispatch(change)

    def _count(self, changes: Sequence[Change]) -> None:
        # The stream also has entries that the filter of `record_usage` excludes.
        moved = [each for each in changes if each["dynamodb"]["NewImage"]["kind"]["S"] in BALANCE_KINDS]
        if failed := self.usage_recorder.record(moved):
            raise NotHandledError(f"{len(failed)} entries could not be counted")


def operator() -> Operator:
    """Create the parts. The environment has the functions' variables and those in `CommandSettings`."""
    settings = CommandSettings.from_env()
    db = database()
    accounts = AccountRepository(db, settings.accounts_table)
    ledger = ledger_of(settings)
    tasks = TaskRepository(db, settings.tasks_table)
    return Operator(
        settings=settings,
        api=api_parts.api(),
        clock=parts.clock(),
        accounts=accounts,
        ledger=ledger,
        tasks=tasks,
        teams=TeamRepository(db, settings.members_table),
        people=IdentityRepository(db, settings.identities_table, accounts),
        health=ProviderHealthStore(db, settings.providers_table, parts.clock()),
        ledger_audit=check_ledger_parts.ledger_audit(),
        slot_counts=SlotCountAudit(ledger, tasks),
        dispatcher=dispatch_changes_parts.dispatcher(),
        usage_recorder=record_usage_parts.usage_recorder(),
        changes=ChangeReader(sdk.streams()),
    )
