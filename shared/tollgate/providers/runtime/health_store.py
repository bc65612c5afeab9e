"""The health of all providers in DynamoDB, shared by all workers, which read it every few seconds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from tollgate.kit.cache import CachedValue
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Equals, Missing, Remove, Set
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.ids import new_id
from tollgate.providers.runtime.health import TRIAL_MS, Health, in_order, verdict, wants_trial
from tollgate.providers.runtime.outcomes import PollOutcome, SubmitOutcome

REFRESH_MS = 5 * MS_PER_S


class StaleHealthError(Exception):
    """Another worker wrote a provider's health after it was read; its write is kept."""


class ProviderHealthStore:
    """Reads and writes the health of providers; a route of one model has the row `<provider>/<model>`."""

    def __init__(self, db: Database, table: str, clock: Clock) -> None:
        self._db = db
        self._table = table
        self._clock = clock
        self._known = CachedValue(self._read, REFRESH_MS, clock)

    def health(self) -> Mapping[str, Health]:
        """Return the health by provider or route, at most `REFRESH_MS` old."""
        return self._known.get()

    def _read(self) -> dict[str, Health]:
        return {row["provider"]: Health.from_item(row) for row in self._db.scan(self._table)}

    def in_order(self, providers: Sequence[str], model: str) -> list[str]:
        """Return the providers for a job of `model`, best first, without disabled providers and routes."""
        health = self.health()
        routes = [name for name in providers if not health.get(f"{name}/{model}", Health()).disabled]
        return in_order(routes, health, self._clock.now_ms())

    def is_disabled(self, provider: str, model: str) -> bool:
        """Return whether an operator disabled the provider, or its route of `model`."""
        return not self.in_order([provider], model)

    def may_try(self, provider: str) -> bool:
        """Return whether a task may use `provider` now; for a trial, this is true for only one task."""
        now_ms = self._clock.now_ms()
        health = self.health()
        if not wants_trial(provider, health, now_ms):
            return True
        read = health[provider]
        with suppress(StaleHealthError):
            self._write(provider, read, Health(read.failures, now_ms + TRIAL_MS, reason=read.reason))
            return True
        return False

    def report(self, provider: str, outcome: SubmitOutcome | PollOutcome) -> None:
        """Record the outcome of an attempt. For a provider without failures, a success costs no write."""
        worked = verdict(outcome)
        read = self.health().get(provider, Health())
        if worked is None or (worked and read.failures == 0):
            return
        # A faster worker's write is kept. One count more or less does not matter.
        with suppress(StaleHealthError):
            self._write(provider, read, read.worked() if worked else read.failed(self._clock.now_ms()))

    def switch(self, name: str, *others: Write, disabled: bool, reason: str | None) -> None:
        """Disable or enable a provider or a route `<provider>/<model>`, in one transaction with `others`."""
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
        # Nothing was recorded since the read, or since an operator switched it.
        was_read = Equals("failures", read.failures) & Equals("open_until_ms", read.open_until_ms)
        unknown = Missing("failures")
        self._db.write(
            Write(
                self._table,
                key={"provider": provider},
                update=(
                    Set("failures", new.failures),
                    Set("open_until_ms", new.open_until_ms),
                    # If two workers request the trial in the same millisecond, only one gets it.
                    Set("write_id", new_id("write")),
                ),
                condition=was_read | unknown,
                refused=lambda _: StaleHealthError(),
            )
        )
        self._known.get()[provider] = new
