"""The base of all consoles: the operator, and the audit log that records each action."""

from dataclasses import dataclass, replace
from typing import Self

from tollgate.audit.events import EVERYBODY, OPERATOR, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.statement import Statement
from tollgate.tasks.repository import TaskRepository


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorConsole:
    """Actions of one operator. The audit log records each with the operator's name."""

    audit: AuditLog
    who: str = OPERATOR
    """The operator's name in the audit log."""

    def by(self, name: str) -> Self:
        """Return the same console for the operator `name`."""
        return replace(self, who=f"{OPERATOR} {name}")

    def note(self, action: Action, subject: str, detail: str = "") -> None:
        """Record an action on the whole service, which belongs to no account."""
        self.audit.write(EVERYBODY, self.who, action, subject, detail)


@dataclass(frozen=True, kw_only=True, slots=True)
class CustomerConsole(OperatorConsole):
    """The base of the consoles for accounts and tasks, which belong to customers."""

    tasks: TaskRepository
    ledger: LedgerRepository
    statement: Statement
    clock: Clock
