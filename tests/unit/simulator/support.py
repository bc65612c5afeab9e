"""What the simulator's tests share."""

START_MS = 1_762_943_400_000  # 2025-11-12T10:30:00Z


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time_ms = START_MS

    def now_ms(self) -> int:
        return self.time_ms

    def advance_s(self, seconds: float) -> None:
        self.time_ms += round(seconds * 1_000)
