"""The breaker: which providers to call first, by their recent results. Pure.

    closed ──FAILURES_TO_OPEN in a row──► open ──its time is over──► one trial ──works──► on probation
      ▲                                    ▲                            │fails               │
      └──── each success takes one off ────┼──── twice as long ◄────────┘                    │
                                           └──────────────── the next failure ◄──────────────┘

An open provider is called last instead of never: a task does not fail because of other tasks' errors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    PollOutcome,
    Rejected,
    SubmitOutcome,
    Succeeded,
)

FAILURES_TO_OPEN = 5
# More failures are not counted, so that recovery stays quick.
MOST_FAILURES = 10
FIRST_WINDOW_MS = 30 * MS_PER_S
MAX_WINDOW_MS = 600 * MS_PER_S
# During a trial the provider stays open for all others; the trial usually ends sooner.
TRIAL_MS = 120 * MS_PER_S

_AT_FAULT = frozenset(
    {
        FailureKind.UNREACHABLE,
        FailureKind.PROVIDER_ERROR,
        FailureKind.REFUSED_US,
        FailureKind.TIMED_OUT,
        FailureKind.LOST_ANSWER,
    }
)


@dataclass(frozen=True, slots=True)
class Health:
    """A provider's health: failures in a row, less one for each later success; the end of its open state.

    An operator sets `disabled` and `reason`.
    """

    failures: int = 0
    open_until_ms: int = 0
    disabled: bool = False
    reason: str | None = None

    @classmethod
    def from_item(cls, item: Item) -> "Health":
        """Return the health from a row."""
        return cls(
            item.get("failures", 0),
            item.get("open_until_ms", 0),
            item.get("disabled", False),
            item.get("reason"),
        )

    @property
    def tripped(self) -> bool:
        """Return whether it has so many failures that only a trial can close the breaker."""
        return self.failures >= FAILURES_TO_OPEN

    def is_open_at(self, now_ms: int) -> bool:
        """Return whether other providers come first."""
        return self.tripped and now_ms < self.open_until_ms

    def failed(self, now_ms: int) -> "Health":
        """Return the health after one more failure."""
        failures = min(self.failures + 1, MOST_FAILURES)
        window_ms = FIRST_WINDOW_MS * 2 ** max(0, failures - FAILURES_TO_OPEN)
        return Health(failures, now_ms + min(window_ms, MAX_WINDOW_MS), self.disabled, self.reason)

    def worked(self) -> "Health":
        """Return the health after one more success; the next failure opens a provider that just recovered."""
        # The count first drops to the threshold: one successful trial closes the breaker, and the next
        # failure opens it again.
        failures = min(self.failures, FAILURES_TO_OPEN) - 1
        return Health(max(0, failures), 0, self.disabled, self.reason)


def verdict(outcome: SubmitOutcome | PollOutcome) -> bool | None:
    """Return whether an outcome shows that a provider works; `None` if it shows neither.

    An accepted job shows nothing yet, and a busy provider is not at fault.
    """
    match outcome:
        case Succeeded() | Rejected():
            return True
        case Lost():
            return False
        case Failed(kind) if kind in _AT_FAULT:
            return False
        # Busy (429), a running job, a result file that cannot be fetched: none shows whether the provider
        # works for others.
        case _:
            return None


def in_order(providers: Sequence[str], health: Mapping[str, Health], now_ms: int) -> list[str]:
    """Return the providers to call, best first: disabled providers are left out, open providers come last."""
    allowed = [name for name in providers if not _of(health, name).disabled]
    return sorted(allowed, key=lambda name: _of(health, name).is_open_at(now_ms))


def wants_trial(name: str, health: Mapping[str, Health], now_ms: int) -> bool:
    """Return whether the open state of a provider is over, so that one task may try it."""
    found = _of(health, name)
    return found.tripped and not found.is_open_at(now_ms)


def _of(health: Mapping[str, Health], name: str) -> Health:
    return health.get(name, Health())
