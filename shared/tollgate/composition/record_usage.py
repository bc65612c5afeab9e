"""Creates the parts of `functions/record_usage`."""

from dataclasses import dataclass

from tollgate.accounts.cap_monitor import CapMonitor
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.audit.repository import AuditLog, OnceLog
from tollgate.budgets.monitor import BudgetMonitor
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.exports.offers import RequestOffers
from tollgate.exports.repository import ExportRepository
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.low_balance.monitor import BalanceMonitor
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.usage.recorder import UsageRecorder
from tollgate.usage.repository import RollUp
from tollgate.usage.route_repository import RouteMeter
from tollgate.webhooks.repository import DeliveryRepository


@dataclass(frozen=True, kw_only=True)
class RecordUsageSettings(SpendingSettings):
    """Settings of `functions/record_usage`."""

    api_keys_table: str
    audit_table: str
    idempotency_table: str
    usage_table: str
    counted_entries_table: str
    watches_table: str
    deliveries_table: str
    refill_queue_url: str
    webhook_queue_url: str


@part
def usage_recorder() -> UsageRecorder:
    """Create the parts of `functions/record_usage`.

    After counting entries, it also checks the balances, caps and budgets that they changed. So the stream
    needs only one reader.
    """
    settings = RecordUsageSettings.from_env()
    db = database()
    monitor = BalanceMonitor(
        low_balances=LowBalanceRepository(db, settings.watches_table),
        accounts=AccountRepository(db, settings.accounts_table),
        ledger=ledger_of(settings),
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        queue=Queue(sdk.sqs(), settings.refill_queue_url),
        clock=clock(),
    )
    roll_up = RollUp(db, settings.usage_table, settings.counted_entries_table)
    once = OnceLog(AuditLog(db, settings.audit_table, clock()), settings.idempotency_table)
    keys = ApiKeyRepository(db, settings.api_keys_table)
    caps = CapMonitor(keys, AccountRepository(db, settings.accounts_table), once, clock())
    budgets = BudgetMonitor(
        BudgetRepository(db, settings.accounts_table, settings.budgets_table),
        once,
        monitor.deliveries,
        clock(),
    )
    offers = RequestOffers(
        ExportRepository(db, settings.budgets_table), Queue(sdk.sqs(), settings.webhook_queue_url), clock()
    )
    routes = RouteMeter(db, settings.usage_table, settings.counted_entries_table, clock())
    parts = (monitor, caps, budgets, offers, routes)
    checks = tuple(part.check_entries for part in parts)
    return UsageRecorder(roll_up, checks, clock())
