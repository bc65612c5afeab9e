"""Remembers which providers are down, so that an outage costs one slow request per window. Pure.

The terms are from `providers/runtime/health.py`: a provider that is skipped is open.
"""

from dataclasses import dataclass, field

from tollgate.kit.clock import MS_PER_S

# How long a provider is skipped. After that, one request may try it.
WINDOW_MS = 30 * MS_PER_S
# Successive fast failures that open a provider. One slow failure is enough.
FAST_FAILURES = 5


@dataclass(slots=True)
class _State:
    failures: int = 0
    open_until_ms: int = 0


@dataclass(slots=True)
class Breaker:
    """One process's view of its providers; each process learns for itself within a request or two."""

    _states: dict[str, _State] = field(default_factory=dict)

    def allows(self, provider: str, now_ms: int) -> bool:
        """Return whether to call a provider now. The first caller after a window is the probe."""
        state = self._states.get(provider)
        if state is None or state.open_until_ms == 0:
            return True
        if now_ms < state.open_until_ms:
            return False
        state.open_until_ms = now_ms + WINDOW_MS
        return True

    def succeeded(self, provider: str) -> None:
        """Note an answer."""
        self._states.pop(provider, None)

    def failed(self, provider: str, *, slow: bool, now_ms: int) -> None:
        """Note a failure that was the provider's."""
        state = self._states.setdefault(provider, _State())
        state.failures += 1
        if slow or state.failures >= FAST_FAILURES:
            state.open_until_ms = now_ms + WINDOW_MS
