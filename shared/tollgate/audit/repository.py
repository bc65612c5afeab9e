"""The audit log in DynamoDB. Events are written in the transaction of their change, and never changed.

An account has two logs, of changes and of access, each under its own partition key (`partition`). The sparse
index DeskIndex has the acts of operators in all accounts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tollgate.audit.events import EVERYBODY, SERVICE, Action, AuditEvent, Log, partition
from tollgate.audit.notes import AuditNotes
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Condition, Equals
from tollgate.kit.dynamodb.pages import Page
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write, put_new
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem

MAX_PAGE = 50
# How long a finding is unique: longer than a month, the longest period of a cap.
ONCE_RETENTION_MS = 62 * MS_PER_DAY


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Returns the writes of events, and reads them."""

    db: Database
    table: str
    clock: Clock

    def note(self, account_id: str, actor: str, action: Action, subject: str, detail: str = "") -> Write:
        """Return the write of an event, for the transaction of the change itself."""
        return self.notes.note(account_id, actor, action, subject, detail)

    @property
    def notes(self) -> AuditNotes:
        """Return the notes of this log, for code without a database."""
        return AuditNotes(self.table, self.clock)

    def write(self, account_id: str, actor: str, action: Action, subject: str, detail: str = "") -> None:
        """Write an event without a transaction, for a change that has none."""
        self.db.write(self.note(account_id, actor, action, subject, detail))

    def get(self, account_id: str, event_id: str) -> AuditEvent | None:
        """Return an event, or `None`. Raises `ValueError` for an action of a newer version."""
        row = self.db.get(self.table, {"account_id": account_id, "event_id": event_id})
        return None if row is None else AuditEvent.from_item(row)

    def page(self, account_id: str, before: str | None = None, log: Log = Log.CHANGES) -> Page[AuditEvent]:
        """Return up to `MAX_PAGE` events, the newest first; only events older than `before`, if it is given.

        Raises `InvalidInputError` if `before` is not the id of an event.
        """
        key = partition(account_id, log)
        rows = self._rows(Equals("account_id", key), None if before is None else {"account_id": key}, before)
        found = list(rows)
        return Page(_known(found), found[-1]["event_id"] if len(found) == MAX_PAGE else None)

    def of_operators(self, before: str | None = None) -> Page[AuditEvent]:
        """Return up to `MAX_PAGE` acts of operators, the newest first; `before` is a page's cursor.

        Raises `InvalidInputError` for an invalid cursor.
        """
        key, _, event_id = (before or "").rpartition("/")
        if before is not None and not (key == EVERYBODY or is_id("usr", key)):
            raise InvalidInputError([_no_cursor()])
        after = None if before is None else {"account_id": key, "desk": EVERYBODY}
        found = list(self._rows(Equals("desk", EVERYBODY), after, event_id or None, index="DeskIndex"))
        last = f"{found[-1]['account_id']}/{found[-1]['event_id']}" if len(found) == MAX_PAGE else None
        return Page(_known(found), last)

    def _rows(
        self, condition: Condition, after: Item | None, before: str | None, index: str | None = None
    ) -> Iterator[Item]:
        if before is not None and not is_id("audit", before):
            raise InvalidInputError([_no_cursor()])
        return self.db.query(
            self.table,
            condition,
            index=index,
            newest_first=True,
            limit=MAX_PAGE,
            after=None if after is None else {**after, "event_id": before},
        )


def _known(rows: list[Item]) -> list[AuditEvent]:
    """Return the events of rows, without actions of a newer version."""
    known = set(Action)
    return [AuditEvent.from_item(row) for row in rows if row["action"] in known]


def _no_cursor() -> Problem:
    return Problem("/before", "Must be the cursor of a page.")


class AlreadyLoggedError(Exception):
    """The event was noted before; nothing was written."""


@dataclass(frozen=True, slots=True)
class OnceLog:
    """Records automatic findings once, even if several workers find the same thing.

    The ids of events contain the time, so a row in the idempotency table marks that the event was written.
    """

    log: AuditLog
    table: str

    def note(
        self,
        account_id: str,
        once_id: str,
        action: Action,
        subject: str,
        detail: str = "",
        *,
        actor: str = SERVICE,
    ) -> bool:
        """Note an event once for its `once_id`; return whether this call wrote it."""
        return self.write(account_id, once_id, self.log.note(account_id, actor, action, subject, detail))

    def write(self, account_id: str, once_id: str, finding: Write, *, forever: bool = False) -> bool:
        """Write a finding once for its `once_id`; return whether this call wrote it.

        The mark is in the same transaction. It is kept for `ONCE_RETENTION_MS`, or `forever`.
        """
        row: Item = {"idempotency_id": f"once#{account_id}#{once_id}"}
        if not forever:
            row["expires_at_s"] = (self.log.clock.now_ms() + ONCE_RETENTION_MS) // MS_PER_S
        once = put_new(self.table, row, "idempotency_id", lambda _: AlreadyLoggedError(once_id))
        try:
            self.log.db.transact([once, finding])
        except AlreadyLoggedError:
            return False
        return True
