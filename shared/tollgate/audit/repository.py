"""The audit log in DynamoDB. Rows are added with what they tell of, and never changed."""

from dataclasses import dataclass

from tollgate.audit.events import SERVICE, Action, AuditEvent
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock
from tollgate.kit.dynamodb import Database
from tollgate.kit.ids import new_id
from tollgate.kit.pages import Page
from tollgate.kit.writes import Write, put_new

MAX_PAGE = 50
# How long it is known that something was noted once: longer than a month, the longest period of a cap.
ONCE_KEPT_MS = 62 * MS_PER_DAY


class AlreadyNotedError(Exception):
    """An event with this id is there already: ids are new, so this is a fault of ours."""


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Makes the writes of events, and reads them."""

    db: Database
    table: str
    clock: Clock

    def note(self, account_id: str, actor: str, action: Action, subject: str, detail: str = "") -> Write:
        """Return the write that notes an event, for the transaction of what it tells of."""
        now_ms = self.clock.now_ms()
        event = AuditEvent(account_id, new_id("audit"), now_ms, actor, action, subject, detail)
        return put_new(self.table, event.to_item(), "event_id", lambda _: AlreadyNotedError(event.event_id))

    def write(self, account_id: str, actor: str, action: Action, subject: str, detail: str = "") -> None:
        """Note an event by itself, for a change that is no transaction."""
        self.db.write(self.note(account_id, actor, action, subject, detail))

    def get(self, account_id: str, event_id: str) -> AuditEvent | None:
        """Return an event, or `None`. Raises `ValueError` for one that only newer code knows."""
        row = self.db.get(self.table, {"account_id": account_id, "event_id": event_id})
        return None if row is None else AuditEvent.from_item(row)

    def page(self, account_id: str, before: str | None = None) -> Page[AuditEvent]:
        """Return up to `MAX_PAGE` events, the newest first, of those that are older than `before`."""
        rows = self.db.query(
            self.table,
            "account_id = :account",
            {":account": account_id},
            newest_first=True,
            limit=MAX_PAGE,
            after=None if before is None else {"account_id": account_id, "event_id": before},
        )
        found = [AuditEvent.from_item(row) for row in rows]
        return Page(found, found[-1].event_id if len(found) == MAX_PAGE else None)


class NotedBeforeError(Exception):
    """What is noted once was noted before; nothing was written."""


@dataclass(frozen=True, slots=True)
class OnceLog:
    """Notes what the service finds out by itself, once, however many workers find it out and how often.

    Events have new ids, in the order of time; a row of the table of idempotency says that one was written.
    """

    log: AuditLog
    table: str

    def note(self, account_id: str, once_id: str, action: Action, subject: str, detail: str = "") -> bool:
        """Note an event once for its `once_id`; return whether this time did it."""
        expires_at_s = (self.log.clock.now_ms() + ONCE_KEPT_MS) // MS_PER_S
        row = {"idempotency_id": f"once#{account_id}#{once_id}", "expires_at_s": expires_at_s}
        once = put_new(self.table, row, "idempotency_id", lambda _: NotedBeforeError(once_id))
        try:
            self.log.db.transact([once, self.log.note(account_id, SERVICE, action, subject, detail)])
        except NotedBeforeError:
            return False
        return True
