"""What all desks have alike: who sits there, and the audit log that has what they do."""

from dataclasses import dataclass, replace
from typing import Self

from tollgate.audit.events import EVERYBODY, OPERATOR, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.statement import Statement
from tollgate.tasks.repository import TaskRepository


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """A desk of operators, who are named in the audit log."""

    audit: AuditLog
    who: str = OPERATOR
    """Who asks, as the audit log has it."""

    def by(self, name: str) -> Self:
        """Return the desk of an operator."""
        return replace(self, who=f"{OPERATOR} {name}")

    def note(self, action: Action, subject: str, detail: str = "") -> None:
        """Note an act on the whole service, which is of no account, in the audit log."""
        self.audit.write(EVERYBODY, self.who, action, subject, detail)


@dataclass(frozen=True, kw_only=True, slots=True)
class CustomerDesk(Desk):
    """A desk for what customers have."""

    tasks: TaskRepository
    ledger: LedgerRepository
    statement: Statement
    clock: Clock
