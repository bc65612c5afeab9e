"""Creates the parts of sub-accounts, for the API, the dashboard and the operator console."""

from dataclasses import dataclass

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.accounts.service import AccountService
from tollgate.audit.repository import AuditLog
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.parts import clock
from tollgate.kit.http.addresses import AddressGuard
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.family_repository import FamilyRepository
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.members.repository import TeamRepository
from tollgate.subaccounts.closing import ReturnOfRest
from tollgate.subaccounts.repository import SubaccountRepository
from tollgate.subaccounts.service import SubaccountService


@dataclass(frozen=True, kw_only=True)
class SubaccountSettings(SpendingSettings):
    """Settings of sub-accounts."""

    api_keys_table: str
    watches_table: str
    members_table: str


def subaccount_service(
    accounts: AccountService, keys: KeyService, audit: AuditLog, guard: AddressGuard
) -> SubaccountService:
    """Return the service for sub-accounts, with services that the caller has already."""
    settings, db = SubaccountSettings.from_env(), database()
    families = FamilyRepository(db, settings.accounts_table, settings.ledger_table)
    return SubaccountService(
        subaccounts=SubaccountRepository(db, settings.budgets_table),
        families=families,
        ledger=ledger_of(settings),
        accounts=accounts,
        keys=ApiKeyRepository(db, settings.api_keys_table),
        key_service=keys,
        budgets=BudgetRepository(db, settings.accounts_table, settings.budgets_table),
        low_balances=LowBalanceRepository(db, settings.watches_table),
        teams=TeamRepository(db, settings.members_table),
        rest=ReturnOfRest(families, clock()),
        audit=audit,
        guard=guard,
        clock=clock(),
    )
