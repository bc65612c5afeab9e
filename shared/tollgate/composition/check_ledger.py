"""Creates the parts of `functions/check_ledger`."""

from dataclasses import dataclass

from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.ledger.checkpoints import Checkpoints
from tollgate.ledger.service import LedgerAudit


@dataclass(frozen=True, kw_only=True)
class CheckLedgerSettings(LedgerSettings):
    """Settings of `functions/check_ledger`."""

    checkpoints_table: str


@part
def ledger_audit() -> LedgerAudit:
    """Create the parts of `functions/check_ledger`."""
    settings = CheckLedgerSettings.from_env()
    db = database()
    return LedgerAudit(
        ledger=ledger_of(settings),
        checkpoints=Checkpoints(db, settings.checkpoints_table),
        clock=clock(),
    )
