"""Operators' incidents on the status page: open one, add an update, resolve it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.audit.events import EVERYBODY, Action
from tollgate.kit.clock import Clock
from tollgate.kit.ids import is_id, new_id
from tollgate.operator.console import OperatorConsole
from tollgate.operator.errors import OperatorError
from tollgate.status.incidents import MAX_OPEN, Incident, IncidentError, opened, update_of
from tollgate.status.repository import IncidentRepository, StaleIncidentError


@dataclass(frozen=True, kw_only=True, slots=True)
class IncidentConsole(OperatorConsole):
    """Posts incidents. Each post is one transaction with its event of the audit log."""

    rows: IncidentRepository
    clock: Clock

    def newest(self) -> list[Incident]:
        """Return the newest incidents, the newest first."""
        return self.rows.newest()

    def open(self, title: str, impact: str, parts: Sequence[str], words: str, phase: str) -> Incident:
        """Open an incident. Raises `OperatorError`."""
        if sum(each.ended_at_ms is None for each in self.newest()) >= MAX_OPEN:
            raise OperatorError(
                "{count} incidents are open, the most allowed. Resolve one first.", count=MAX_OPEN
            )
        try:
            first = update_of(self.clock.now_ms(), phase, words)
            made = opened(new_id("inc"), title, impact, parts, first)
        except IncidentError as exc:
            raise OperatorError(exc.words.text, **exc.words.values) from exc
        return self._save(made, made)

    def update(self, incident_id: str, phase: str, words: str) -> Incident:
        """Add an update, which ends the incident if its phase is `resolved`. Raises `OperatorError`.

        The same update twice, after a lost response, is stored once.
        """
        found = self.rows.get(incident_id) if is_id("inc", incident_id) else None
        if found is None:
            raise OperatorError("There is no incident {incident}.", incident=incident_id)
        try:
            update = update_of(self.clock.now_ms(), phase, words)
            last = found.updates[-1]
            if (last.phase, last.words) == (update.phase, update.words):
                return found
            return self._save(found, found.updated(update))
        except IncidentError as exc:
            raise OperatorError(exc.words.text, **exc.words.values) from exc

    def _save(self, read: Incident, changed: Incident) -> Incident:
        last = changed.updates[-1]
        words = f"{changed.title}: {last.phase}"
        noted = self.audit.note(EVERYBODY, self.who, Action.INCIDENT_POSTED, changed.incident_id, words)
        try:
            self.rows.save(changed, noted)
        except StaleIncidentError as exc:
            raise OperatorError(
                "Another operator changed {incident} in the meantime. Look at it again.",
                incident=read.incident_id,
            ) from exc
        return changed
