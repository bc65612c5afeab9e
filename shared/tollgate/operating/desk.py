"""What the desks of accounts and of tasks have alike: who sits there."""

from dataclasses import dataclass, replace
from typing import Self

from tollgate.audit.events import OPERATOR
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.statement import Statement
from tollgate.tasks.repository import TaskRepository


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """A desk of operators, who are named in the audit log."""

    tasks: TaskRepository
    ledger: LedgerRepository
    statement: Statement
    audit: AuditLog
    clock: Clock
    who: str = OPERATOR
    """Who asks, as the audit log has it."""

    def by(self, name: str) -> Self:
        """Return the desk of an operator."""
        return replace(self, who=f"{OPERATOR} {name}")
