"""Runs a part of the local service on a clock that is ahead.

How far, in milliseconds, stands in a file; it is read at every look at the clock, so that all processes of a
service go on at the same later time. It is the clock of all that `composition` joins; the emulator and the
queue's delays keep the machine's own.

A part is forked from a process that has imported all parts, because workers are killed and started often.
"""

import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from local.processes import die_with_parent
from tests.support.forks import FORKS
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

    def advance_ms(self, by_ms: int) -> None:
        """Let time pass, for everyone who reads the file."""
        later = self._ahead.with_suffix(".new")
        later.write_text(str(self.ahead_ms() + by_ms))
        later.replace(self._ahead)


class ShiftedProcess:
    """A process that runs a module on such a clock, with the interface of `subprocess.Popen`."""

    def __init__(
        self, ahead: Path, module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> None:
        self._process = FORKS.Process(
            target=_run, args=(ahead, module, [*arguments], dict(environment), log), daemon=True
        )
        self._process.start()
        self.pid = self._process.pid
        self.terminate, self.kill = self._process.terminate, self._process.kill

    def poll(self) -> int | None:
        """Return its exit code, or `None` while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> None:
        """Wait for its end. Raises `TimeoutExpired`."""
        self._process.join(timeout)
        if timeout is not None and self.poll() is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)


def _run(
    ahead: Path, module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path
) -> None:
    """Run a module like a new process: its environment, its session, its output in `log`."""
    die_with_parent()
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    clock = ShiftedClock(ahead)
    # Text joins its own parts.
    for joined in (parts, text):
        joined.SystemClock = lambda: clock  # type: ignore[attr-defined]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
