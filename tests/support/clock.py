"""A clock that tests move."""

import time

START_MS = 1_700_000_000_000


class ManualClock:
    """Returns the time it was set to."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        """Return the time, in epoch milliseconds."""
        return self._now_ms

    def advance_ms(self, by_ms: int) -> None:
        """Let time pass."""
        self._now_ms += by_ms

    def set(self, now_ms: int) -> None:
        """Set the time."""
        self._now_ms = now_ms

    def set_to_now(self) -> None:
        """Set the machine's own time, for what is checked against it."""
        self._now_ms = time.time_ns() // 1_000_000
