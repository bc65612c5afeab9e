"""Takes a check every five minutes, and reads the content of the status page."""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.cache import CachedValue
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock
from tollgate.status import checks
from tollgate.status.history import DAYS, Bar, Counts, Day, State, bars_of, last_days, uptime_percent
from tollgate.status.incidents import Incident, state_of, with_incidents
from tollgate.status.repository import CHECKS, VISITS, IncidentRepository, Recorded, StatusRepository
from tollgate.tasks.watch import RouteWatch

CHECK_MS = 300 * MS_PER_S
# The time from one visit to the next, at least.
VISIT_MS = 600 * MS_PER_S
# How long the last check of a part is its current state.
FRESH_MS = 3_600 * MS_PER_S
# How long a process shows the same page.
KNOWN_MS = 60 * MS_PER_S
PAST_MS = 3_600 * MS_PER_S
TEST = "test"


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of the page: current states, days of all subjects, incidents, the newest first."""

    at_ms: int
    states: Mapping[str, State]
    days: Mapping[str, Day]
    incidents: list[Incident]

    @property
    def open(self) -> list[Incident]:
        """Return the incidents that are not resolved."""
        return [each for each in self.incidents if each.ended_at_ms is None]

    def part(self, name: str) -> State | None:
        """Return the current state of a part, or `None` if it is unknown."""
        return state_of(name, self.states.get(name), self.incidents)

    def bars(self, name: str) -> list[Bar]:
        """Return the days of a subject, today last."""
        found = bars_of(name, self.days, self.at_ms)
        return with_incidents(name, found, self.incidents, self.at_ms) if name in checks.PARTS else found


@dataclass(frozen=True, slots=True)
class Checks:
    """Finds the state of everything now."""

    rows: StatusRepository
    watch: RouteWatch

    def now(self) -> dict[str, State]:
        """Return the current states of models, of providers, and of the parts that depend on them."""
        catalog, now_ms = self.watch.catalog, self.watch.clock.now_ms()
        media = [each for each in self.watch.statuses() if TEST not in each.model.tags]
        texts = [each for each in catalog.text_models() if TEST not in each.tags]
        calls = self.rows.calls(checks.window((each.id for each in texts), now_ms))
        health = self.watch.health.health()
        return checks.joined(checks.of_media(media, health, now_ms), checks.of_text(calls, texts, health))


@dataclass(slots=True)
class StatusRecorder:
    """Records checks. It is called every minute, and records one every five minutes."""

    rows: StatusRepository
    checks: Checks
    clock: Clock
    _last: int = 0
    _is_late: bool = False

    def record(self, *, is_late: bool) -> None:
        """Record a check if it is time. `is_late`: a due webhook waits. A repeat counts nothing twice."""
        self._is_late = self._is_late or is_late
        now_ms = self.clock.now_ms()
        slot = now_ms // CHECK_MS
        if slot == self._last:
            return
        states = {**self.checks.now(), **checks.of_webhooks(is_late=self._is_late)}
        self.rows.count(CHECKS, slot, now_ms, states)
        self._last, self._is_late = slot, False


@dataclass(frozen=True, slots=True)
class VisitRecorder:
    """Records visits (`tollgate.visits`)."""

    rows: StatusRepository
    clock: Clock

    def record(self, failed: list[str]) -> None:
        """Record a visit by the steps that failed."""
        now_ms = self.clock.now_ms()
        states = checks.of_visit(failed)
        if states:
            self.rows.count(VISITS, now_ms // VISIT_MS, now_ms, states)


class StatusPage:
    """Reads the content of the page, at most once a minute in a process."""

    def __init__(
        self, checks_now: Checks, rows: StatusRepository, incidents: IncidentRepository, clock: Clock
    ) -> None:
        self._checks = checks_now
        self._rows = rows
        self._incidents = incidents
        self._clock = clock
        self._known = CachedValue(self._read, KNOWN_MS, clock)
        # Days that are over do not change.
        self._past = CachedValue(self._read_past, PAST_MS, clock)

    def shown(self) -> Shown:
        """Return the content of the page, at most a minute old."""
        return self._known.get()

    def uptime_percent(self, name: str) -> float | None:
        """Return the uptime of a subject in the last 90 days, at most an hour old; `None` without checks."""
        days = {each.day: each.counts for each in self._past.get() if name in each.counts}
        return uptime_percent(bars_of(name, days, self._clock.now_ms()))

    def _days(self, first: str, last: str) -> list[Recorded]:
        return [each for source in (CHECKS, VISITS) for each in self._rows.days(source, first, last)]

    def _read_past(self) -> list[Recorded]:
        # All days, so that none is missing when the next day begins before the next read.
        first, *_, today = last_days(self._clock.now_ms())
        return self._days(first, today)

    def _read(self) -> Shown:
        now_ms = self._clock.now_ms()
        *_, yesterday, today = last_days(now_ms)
        found = [*self._past.get(), *self._days(yesterday, today)]
        days: dict[str, dict[str, Counts]] = {}
        parts: dict[str, State] = {}
        for each in found:
            days.setdefault(each.day, {}).update(each.counts)
            if each.at_ms >= now_ms - FRESH_MS:
                parts |= each.parts
        begin_ms = now_ms - DAYS * MS_PER_DAY
        incidents = [each for each in self._incidents.newest() if (each.ended_at_ms or now_ms) >= begin_ms]
        return Shown(now_ms, {**parts, **self._checks.now()}, days, incidents)
