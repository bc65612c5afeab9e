"""Creates the parts of `functions/check_ledger`."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.exports.offers import RequestOffers
from tollgate.exports.repository import ExportRepository
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.checkpoints import Checkpoints
from tollgate.ledger.service import LedgerAudit
from tollgate.seals.repository import SealRepository
from tollgate.seals.sealer import Sealer

if TYPE_CHECKING:
    from tollgate.catalog.loader import Catalog
    from tollgate.reconciliation.repository import ReconciliationRepository
    from tollgate.reconciliation.service import Reconciler


@dataclass(frozen=True, kw_only=True)
class CheckLedgerSettings(LedgerSettings):
    """Settings of `functions/check_ledger`."""

    checkpoints_table: str


@dataclass(frozen=True, kw_only=True)
class SealerSettings(CheckLedgerSettings):
    """Settings for the seals, which only `functions/check_ledger` may sign."""

    seals_table: str
    ledger_key_secret_arn: str
    budgets_table: str
    webhook_queue_url: str


@dataclass(frozen=True, kw_only=True)
class OperatorSettings(CheckLedgerSettings):
    """Settings of the check for operators."""

    budgets_table: str


@dataclass(frozen=True, kw_only=True)
class ReconcilerSettings(CheckLedgerSettings):
    """Settings for the comparison with the providers' cost reports."""

    tasks_table: str
    live_providers: str
    config_bucket: str
    cost_keys_secret_arn: str


@part
def reconciliations() -> "ReconciliationRepository":
    """Create the reader of the days that were compared."""
    # Imported late, because most runs compare no day
    from tollgate.reconciliation.repository import ReconciliationRepository  # noqa: PLC0415

    return ReconciliationRepository(database(), CheckLedgerSettings.from_env().checkpoints_table)


def _catalog() -> "Catalog":
    # Imported late, because most runs compare no day
    from tollgate.composition.media_catalog import running_catalog  # noqa: PLC0415

    settings = ReconcilerSettings.from_env()
    return running_catalog(settings.live_providers, settings.config_bucket).catalog()


@part
def reconciler() -> "Reconciler":
    """Create the comparison of costs."""
    # Imported late, because only the end of a run compares costs
    from tollgate.reconciliation.client import ReportClient  # noqa: PLC0415
    from tollgate.reconciliation.service import Reconciler  # noqa: PLC0415
    from tollgate.tasks.repository import TaskRepository  # noqa: PLC0415

    settings = ReconcilerSettings.from_env()
    return Reconciler(
        ledger=ledger_of(settings),
        tasks=TaskRepository(database(), settings.tasks_table),
        days=reconciliations(),
        reports=ReportClient(),
        keys=sdk.secret_reader(settings.cost_keys_secret_arn),
        catalog=_catalog,
        clock=clock(),
    )


@part
def sealing_audit() -> LedgerAudit:
    """Create the check that also seals each account."""
    settings = SealerSettings.from_env()
    sealer = Sealer(
        ledger=ledger_of(settings),
        seals=SealRepository(database(), settings.seals_table),
        secret=sdk.secret_reader(settings.ledger_key_secret_arn),
        clock=clock(),
    )
    exports = ExportRepository(database(), settings.budgets_table)
    offers = RequestOffers(exports, Queue(sdk.sqs(), settings.webhook_queue_url), clock())
    return replace(_audit(settings), sealer=sealer, export=offers.offer_day)


@part
def ledger_audit() -> LedgerAudit:
    """Create the check for operators: without seals, and with budgets if it reads all entries."""
    settings = OperatorSettings.from_env()
    budgets = BudgetRepository(database(), settings.accounts_table, settings.budgets_table)
    return replace(_audit(settings), budgets=budgets)


def _audit(settings: CheckLedgerSettings) -> LedgerAudit:
    return LedgerAudit(
        ledger=ledger_of(settings),
        checkpoints=Checkpoints(database(), settings.checkpoints_table),
        clock=clock(),
    )
