"""Joins the parts of `functions/check_ledger`."""

from dataclasses import dataclass

from tollgate.composition.parts import clock, part
from tollgate.kit import aws
from tollgate.kit.dynamodb import Database
from tollgate.kit.settings import Settings
from tollgate.ledger.checkpoints import Checkpoints
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit


@dataclass(frozen=True, kw_only=True)
class CheckLedgerSettings(Settings):
    """Settings of `functions/check_ledger`."""

    accounts_table: str
    ledger_table: str
    checkpoints_table: str


@part
def ledger_audit() -> LedgerAudit:
    """Join the parts of `functions/check_ledger`."""
    settings = CheckLedgerSettings.from_env()
    db = Database(aws.dynamodb())
    return LedgerAudit(
        ledger=LedgerRepository(db, settings.accounts_table, settings.ledger_table),
        checkpoints=Checkpoints(db, settings.checkpoints_table),
        clock=clock(),
    )
