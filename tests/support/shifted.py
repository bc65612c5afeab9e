"""`python -m tests.support.shifted FILE MODULE ARGUMENTS…`: runs a module on a clock that is ahead.

How far, in milliseconds, stands in the file; it is read at every look at the clock, so that all processes of
a service go on at the same later time. It is the clock of all that `composition` joins; the emulator and the
queue's delays keep the machine's own.
"""

import runpy
import sys
from pathlib import Path

from tollgate.composition import parts, text
from tollgate.kit.clock import SystemClock


class ShiftedClock(SystemClock):
    """The machine's clock, ahead by what stands in a file."""

    def __init__(self, ahead: Path) -> None:
        self._ahead = ahead

    def now_ms(self) -> int:
        """Return the time, in epoch milliseconds."""
        return super().now_ms() + self.ahead_ms()

    def ahead_ms(self) -> int:
        """Return how far ahead it is."""
        return int(self._ahead.read_text())

    def advance(self, by_ms: int) -> None:
        """Let time pass, for everyone who reads the file."""
        later = self._ahead.with_suffix(".new")
        later.write_text(str(self.ahead_ms() + by_ms))
        later.replace(self._ahead)


if __name__ == "__main__":
    clock = ShiftedClock(Path(sys.argv[1]))
    # Text joins its own parts.
    for joined in (parts, text):
        joined.SystemClock = lambda: clock  # type: ignore[attr-defined]
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
