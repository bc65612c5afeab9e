"""Joins the parts of `functions/check_ledger`."""

from tollgate.accounts.repository import AccountRepository
from tollgate.bootstrap import part
from tollgate.kit import aws
from tollgate.kit.dynamodb import Database
from tollgate.kit.settings import CheckLedgerSettings
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit


@part
def ledger_audit() -> LedgerAudit:
    """Join the parts of `functions/check_ledger`."""
    settings = CheckLedgerSettings.from_env()
    db = Database(aws.dynamodb())
    return LedgerAudit(
        accounts=AccountRepository(db, settings.accounts_table),
        ledger=LedgerRepository(db, settings.accounts_table, settings.ledger_table),
    )
