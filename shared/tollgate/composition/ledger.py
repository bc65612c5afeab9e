"""The ledger, for each function that reads or moves money."""

from dataclasses import dataclass

from tollgate.composition.database import database
from tollgate.kit.settings import Settings
from tollgate.ledger.repository import LedgerRepository


@dataclass(frozen=True, kw_only=True)
class LedgerSettings(Settings):
    """The tables with money: balances in one table, their entries in the other."""

    accounts_table: str
    ledger_table: str


@dataclass(frozen=True, kw_only=True)
class SpendingSettings(LedgerSettings):
    """The tables of a function that takes or returns money, which budgets count."""

    budgets_table: str


def ledger_of(settings: LedgerSettings) -> LedgerRepository:
    """Return the ledger in the tables that the settings name."""
    budgets_table = settings.budgets_table if isinstance(settings, SpendingSettings) else ""
    return LedgerRepository(database(), settings.accounts_table, settings.ledger_table, budgets_table)
