"""The health of all providers in DynamoDB, shared by all workers; each reads it every few seconds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb import Database
from tollgate.kit.expressions import Equals, Missing, Remove, Set
from tollgate.kit.ids import new_id
from tollgate.kit.remembered import Remembered
from tollgate.kit.writes import Write
from tollgate.providers.runtime.health import TRIAL_MS, Health, in_order, verdict, wants_trial
from tollgate.providers.runtime.outcomes import PollOutcome, SubmitOutcome

REFRESH_MS = 5 * MS_PER_S


class HealthMovedError(Exception):
    """Another worker wrote a provider's health since it was read; its word stands."""


class ProviderHealthStore:
    """Reads and writes the health of providers; a route of one model has a row `<provider>/<model>`."""

    def __init__(self, db: Database, table: str, clock: Clock) -> None:
        self._db = db
        self._table = table
        self._clock = clock
        self._known = Remembered(self._read, REFRESH_MS, clock)

    def health(self) -> Mapping[str, Health]:
        """Return what is known, by provider or route, at most some seconds old."""
        return self._known.get()

    def _read(self) -> dict[str, Health]:
        return {row["provider"]: Health.from_item(row) for row in self._db.scan(self._table)}

    def in_order(self, providers: Sequence[str], model: str) -> list[str]:
        """Return the providers to ask for a job of `model`, best first, those that are disabled left out."""
        health = self.health()
        routes = [name for name in providers if not health.get(f"{name}/{model}", Health()).disabled]
        return in_order(routes, health, self._clock.now_ms())

    def is_disabled(self, provider: str, model: str) -> bool:
        """Return whether an operator switched the provider, or its route of `model`, off."""
        return not self.in_order([provider], model)

    def may_try(self, provider: str) -> bool:
        """Return whether a task may be given to `provider` now: of one whose time is over, only one may."""
        now_ms = self._clock.now_ms()
        health = self.health()
        if not wants_trial(provider, health, now_ms):
            return True
        read = health[provider]
        with suppress(HealthMovedError):
            self._write(provider, read, Health(read.failures, now_ms + TRIAL_MS, reason=read.reason))
            return True
        return False

    def report(self, provider: str, outcome: SubmitOutcome | PollOutcome) -> None:
        """Note how an attempt went. A provider without failures costs no write."""
        worked = verdict(outcome)
        read = self.health().get(provider, Health())
        if worked is None or (worked and read.failures == 0):
            return
        # Whoever was quicker said the same, or just the opposite: one count more or less decides nothing.
        with suppress(HealthMovedError):
            self._write(provider, read, read.worked() if worked else read.failed(self._clock.now_ms()))

    def switch(self, name: str, *others: Write, disabled: bool, reason: str | None) -> None:
        """Switch a provider, or a route `<provider>/<model>`, off or on again, with other writes."""
        switched = Write(
            self._table,
            key={"provider": name},
            update=(
                Set("disabled", disabled),
                Set("reason", reason),
                Remove("failures"),
                Remove("open_until_ms"),
            ),
        )
        self._db.transact([switched, *others])

    def _write(self, provider: str, read: Health, new: Health) -> None:
        # Nobody noted an attempt since it was read, or none ever since it was switched on.
        was_read = Equals("failures", read.failures) & Equals("open_until_ms", read.open_until_ms)
        unknown = Missing("failures")
        self._db.write(
            Write(
                self._table,
                key={"provider": provider},
                update=(
                    Set("failures", new.failures),
                    Set("open_until_ms", new.open_until_ms),
                    # Of two workers that ask for the one trial in the same millisecond, one gets it.
                    Set("write_id", new_id("write")),
                ),
                condition=was_read | unknown,
                refused=lambda _: HealthMovedError(),
            )
        )
        self._known.get()[provider] = new
