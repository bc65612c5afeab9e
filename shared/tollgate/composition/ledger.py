"""The ledger, for each function that reads or moves money."""

from dataclasses import dataclass

from tollgate.composition.database import database
from tollgate.kit.settings import Settings
from tollgate.ledger.repository import LedgerRepository


@dataclass(frozen=True, kw_only=True)
class LedgerSettings(Settings):
    """The tables with money: balances, their entries, and what budgets have counted."""

    accounts_table: str
    ledger_table: str
    budgets_table: str


def ledger_of(settings: LedgerSettings) -> LedgerRepository:
    """Return the ledger in the tables that the settings name."""
    tables = settings.accounts_table, settings.ledger_table, settings.budgets_table
    return LedgerRepository(database(), *tables)
