"""Creates the parts of `functions/close_accounts`."""

from dataclasses import dataclass

from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.repository import ErasureRepository, Tables
from tollgate.account_closure.service import AccountClosureService
from tollgate.account_closure.user_pool import UserPool
from tollgate.account_closure.worker import AccountClosureWorker
from tollgate.accounts.key_service import KeyService
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.service import AccountService
from tollgate.artifacts.results import Results
from tollgate.audit.repository import AuditLog
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.due_index import DueIndex
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.family_repository import FamilyRepository
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.payments.secret import StripeKeySource
from tollgate.scim.repository import DirectoryRepository
from tollgate.subaccounts.closing import ReturnOfRest
from tollgate.subaccounts.repository import SubaccountRepository
from tollgate.web.sessions import SessionStore


@dataclass(frozen=True, kw_only=True)
class CloseAccountsSettings(SpendingSettings):
    """Settings of `functions/close_accounts`: all places with data of an account."""

    api_keys_table: str
    audit_table: str
    deliveries_table: str
    identities_table: str
    members_table: str
    responses_table: str
    sessions_table: str
    tasks_table: str
    usage_table: str
    watches_table: str
    webhook_lanes_table: str
    media_bucket: str
    storage_url: str
    stripe_secret_arn: str
    user_pool_id: str | None = None


@part
def closure_worker() -> AccountClosureWorker:
    """Create the parts of `functions/close_accounts`.

    It reads and deletes rows of nearly every table, which no other function may do, so it has a separate
    role.
    """
    settings = CloseAccountsSettings.from_env()
    db = database()
    ledger = ledger_of(settings)
    account_rows = AccountRepository(db, settings.accounts_table)
    key_rows = ApiKeyRepository(db, settings.api_keys_table)
    accounts = AccountService(account_rows, key_rows, ledger, clock())
    audit = AuditLog(db, settings.audit_table, clock())
    budgets = BudgetRepository(db, settings.accounts_table, settings.budgets_table)
    teams = TeamRepository(db, settings.members_table)
    low_balances = LowBalanceRepository(db, settings.watches_table)
    return AccountClosureWorker(
        due=DueIndex(db, settings.members_table, "account_id"),
        teams=teams,
        accounts=accounts,
        ledger=ledger,
        closures=AccountClosureService(
            teams=teams,
            accounts=accounts,
            # No key is created or changed here, so the check for a model is never called.
            keys=KeyService(key_rows, account_rows, lambda _: None, budgets, audit, clock()),
            sessions=SessionStore(db, settings.sessions_table, clock()),
            ledger=ledger,
            low_balances=low_balances,
            subaccounts=SubaccountRepository(db, settings.budgets_table),
            audit=audit,
            clock=clock(),
        ),
        rest=ReturnOfRest(FamilyRepository(db, settings.accounts_table, settings.ledger_table), clock()),
        erasure=Erasure(
            rows=ErasureRepository(db, _tables(settings)),
            teams=teams,
            people=IdentityRepository(db, settings.identities_table, account_rows),
            directories=DirectoryRepository(db, settings.identities_table),
            low_balances=low_balances,
            results=Results(sdk.s3(), settings.media_bucket, settings.storage_url),
            s3=sdk.s3(),
            bucket=settings.media_bucket,
            pool=UserPool(sdk.cognito(), settings.user_pool_id) if settings.user_pool_id else None,
            stripe=StripeKeySource(
                sdk.secret_reader(settings.stripe_secret_arn), clock(), sdk.report_unread
            ).keys,
            audit=audit,
            clock=clock(),
        ),
        clock=clock(),
    )


def _tables(settings: CloseAccountsSettings) -> Tables:
    return Tables(
        accounts=settings.accounts_table,
        api_keys=settings.api_keys_table,
        audit=settings.audit_table,
        deliveries=settings.deliveries_table,
        lanes=settings.webhook_lanes_table,
        responses=settings.responses_table,
        tasks=settings.tasks_table,
        usage=settings.usage_table,
        budgets=settings.budgets_table,
        low_balances=settings.watches_table,
    )
