"""`make bench-local`: how soon `make run` is ready from a warm install, and its CPU without traffic.

The command runs as a developer types it. CPU is that of all its processes, from `/proc`, so this needs Linux.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from rich.console import Console

from local.machine.emulator import free_port
from local.template import ROOT
from tests.bench import machine

READY = b"Tollgate is running"
STARTS, START_S, POLL_S = 3, 120.0, 0.02
IDLE_ROUNDS, IDLE_S, SETTLE_S = 3, 30.0, 10.0
_PARENT, _USER, _SYSTEM = 1, 11, 12
"""Places in `/proc/<pid>/stat` after the name."""


def main() -> None:
    """Start, measure and print."""
    console = Console(soft_wrap=True)
    machine.show()
    ready_s = []
    for number in range(STARTS):
        with TemporaryFile() as log:
            process, took_s = _start(log)
            ready_s.append(took_s)
            if number == STARTS - 1:
                time.sleep(SETTLE_S)
                idle = [_idle_share(process.pid) for _ in range(IDLE_ROUNDS)]
            os.killpg(process.pid, signal.SIGINT)
            process.wait()
    console.print(f"Ready after {_shown(ready_s)} s. CPU without traffic: {_shown(idle)} % of a core.")
    console.print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


def _start(log: IO[bytes]) -> tuple["subprocess.Popen[bytes]", float]:
    """Start the service. Return its process and the seconds until it was ready."""
    began = time.perf_counter()
    process = subprocess.Popen(
        ["make", "run", f"PORT={free_port()}"], cwd=ROOT, stdout=log, stderr=log, start_new_session=True
    )
    while READY not in os.pread(log.fileno(), 1 << 20, 0):
        if process.poll() is not None or time.perf_counter() - began > START_S:
            raise SystemExit(os.pread(log.fileno(), 1 << 20, 0).decode())
        time.sleep(POLL_S)
    return process, time.perf_counter() - began


def _idle_share(pid: int) -> float:
    """Return the CPU of a process and its descendants, in percent of a core."""
    before, began = _cpu_s(pid), time.perf_counter()
    time.sleep(IDLE_S)
    return 100 * (_cpu_s(pid) - before) / (time.perf_counter() - began)


def _cpu_s(pid: int) -> float:
    stats = dict(_stats())
    family = {pid}
    while more := {one for one, stat in stats.items() if int(stat[_PARENT]) in family} - family:
        family |= more
    ticks = sum(int(stats[one][place]) for one in family for place in (_USER, _SYSTEM))
    return ticks / os.sysconf("SC_CLK_TCK")


def _stats() -> Iterator[tuple[int, list[str]]]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(file.parent.name), file.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended


def _shown(values: list[float]) -> str:
    return f"{min(values):.1f} (runs: {', '.join(f'{value:.1f}' for value in values)})"


if __name__ == "__main__":
    main()
