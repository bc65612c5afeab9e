"""The writes of audit events. Pure, and without an SDK, so that the text function can use it."""

from dataclasses import dataclass

from tollgate.audit.events import Action, AuditEvent
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import Write, put_new
from tollgate.kit.ids import new_id


class DuplicateEventError(Exception):
    """An event with this id exists. Ids are new, so this is a bug in Tollgate."""


@dataclass(frozen=True, slots=True)
class AuditNotes:
    """Returns the writes of events."""

    table: str
    clock: Clock

    def note(self, account_id: str, actor: str, action: Action, subject: str, detail: str = "") -> Write:
        """Return the write of an event, for the transaction of the change itself."""
        event = AuditEvent(account_id, new_id("audit"), self.clock.now_ms(), actor, action, subject, detail)
        return put_new(self.table, event.to_item(), "event_id", lambda _: DuplicateEventError(event.event_id))
