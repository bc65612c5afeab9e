"""Incidents in an operator's words: the affected parts, and updates from start to end. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tollgate.kit.clock import iso, utc_day
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.words import WordedError
from tollgate.status.checks import PARTS
from tollgate.status.history import Bar, State, worst

MAX_TITLE_CHARS = 120
MAX_WORDS_CHARS = 1_000
MAX_UPDATES = 50
# Open at the same time.
MAX_OPEN = 20


class Phase(StrEnum):
    """The phase of an incident."""

    INVESTIGATING = "investigating"
    IDENTIFIED = "identified"
    MONITORING = "monitoring"
    RESOLVED = "resolved"


class IncidentError(WordedError):
    """An incident that cannot be posted; the message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Update:
    """The knowledge of one time."""

    at_ms: int
    phase: Phase
    words: str


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident. `impact` is the state of its `parts` until it is resolved.

    The first update is its start.
    """

    incident_id: str
    title: str
    impact: State
    parts: tuple[str, ...]
    updates: tuple[Update, ...]
    seq: int = 0

    @property
    def started_at_ms(self) -> int:
        """Return when it started (Unix ms)."""
        return self.updates[0].at_ms

    @property
    def ended_at_ms(self) -> int | None:
        """Return when it was resolved (Unix ms); `None` while it is open."""
        return self.updates[-1].at_ms if self.updates[-1].phase is Phase.RESOLVED else None

    def updated(self, update: Update) -> "Incident":
        """Return the incident with one more update. Raises `IncidentError`."""
        if self.ended_at_ms is not None:
            raise IncidentError("This incident is resolved. Open a new one.")
        if len(self.updates) >= MAX_UPDATES:
            raise IncidentError("This incident has {most} updates, the most allowed.", most=MAX_UPDATES)
        return replace(self, updates=(*self.updates, update))

    def touches(self, part: str, day: str, now_ms: int) -> bool:
        """Return whether a part was affected on a UTC day."""
        last = utc_day(now_ms if self.ended_at_ms is None else self.ended_at_ms)
        return part in self.parts and utc_day(self.started_at_ms) <= day <= last

    def to_item(self) -> Item:
        """Return the row, without its key."""
        updates = [{"at_ms": each.at_ms, "phase": each.phase, "words": each.words} for each in self.updates]
        return {
            "title": self.title,
            "impact": self.impact,
            "parts": list(self.parts),
            "updates": updates,
            "seq": self.seq,
        }

    @classmethod
    def from_item(cls, incident_id: str, item: Item) -> "Incident":
        """Return the incident of a row."""
        updates = tuple(
            Update(int(each["at_ms"]), Phase(each["phase"]), each["words"]) for each in item["updates"]
        )
        impact, parts = State(item["impact"]), tuple(item["parts"])
        return cls(incident_id, item["title"], impact, parts, updates, int(item["seq"]))

    def view(self) -> dict[str, Any]:
        """Return it for `/status?format=json`."""
        return {
            "id": self.incident_id,
            "title": self.title,
            "impact": self.impact,
            "parts": list(self.parts),
            "updates": [
                {"at": iso(each.at_ms), "phase": each.phase, "text": each.words} for each in self.updates
            ],
        }


def opened(incident_id: str, title: str, impact: str, parts: Sequence[str], first: Update) -> Incident:
    """Return a new incident. Raises `IncidentError`."""
    if impact not in (State.DEGRADED, State.DOWN):
        raise IncidentError("The impact: {known}.", known=f"{State.DEGRADED}, {State.DOWN}")
    wrong = sorted(set(parts) - set(PARTS))
    if wrong or not parts:
        raise IncidentError("The affected parts: one or more of {known}.", known=", ".join(PARTS))
    if first.phase is Phase.RESOLVED:
        raise IncidentError("A new incident is not resolved yet.")
    named = tuple(part for part in PARTS if part in parts)
    # It is one line of the page and of lists.
    shown = " ".join(title.split())
    if not 1 <= len(shown) <= MAX_TITLE_CHARS:
        raise IncidentError("The title: 1 to {most} characters.", most=MAX_TITLE_CHARS)
    return Incident(incident_id, shown, State(impact), named, (first,))


def update_of(at_ms: int, phase: str, words: str) -> Update:
    """Return an update. Raises `IncidentError`."""
    if phase not in tuple(Phase):
        raise IncidentError("The phase: one of {known}.", known=", ".join(Phase))
    text = words.strip()
    if not 1 <= len(text) <= MAX_WORDS_CHARS:
        raise IncidentError("The update: 1 to {most} characters.", most=MAX_WORDS_CHARS)
    return Update(at_ms, Phase(phase), text)


def state_of(part: str, measured: State | None, incidents: Iterable[Incident]) -> State | None:
    """Return the current state of a part: the worst of its last check and its open incidents."""
    of_incidents = [each.impact for each in incidents if part in each.parts and each.ended_at_ms is None]
    if measured is None and not of_incidents:
        return None
    return worst([*of_incidents, *([] if measured is None else [measured])])


def with_incidents(part: str, bars: Sequence[Bar], incidents: Sequence[Incident], now_ms: int) -> list[Bar]:
    """Return the bars of a part; a day of an incident has at least one check in the incident's state.

    Only the colour of a day follows from it: the uptime is calculated from checks.
    """
    shown = []
    for bar in bars:
        marks = [each.impact for each in incidents if each.touches(part, bar.day, now_ms)]
        up, degraded, down = bar.counts
        found = (up, max(degraded, State.DEGRADED in marks), max(down, State.DOWN in marks))
        shown.append(Bar(bar.day, found))
    return shown
