"""A pytest plugin: each ring of tests runs in a process, forked after its tests were imported and collected.

                ┌─► units-1: its output into a file ─┐
    collected ──┼─► units-2                          ├─► printed when it ends; one that failed fails all
                └─► ...                             ─┘

`make test` uses it. `--capture=sys` keeps captured output in memory, because processes must not share a file.
`--ring units` leaves `units-1` and `units-2`; if there is only one ring, nothing is forked.
"""

import os
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from local.processes import die_with_parent

TESTS = Path(__file__).parents[1]
AT_ONCE = 4
"""The more processes take turns, the more CPU each of them costs."""
ORDER = ("units", "functions", "services", "contract")
"""Those that last longest start first."""
# The second half starts with this part of a name, so that both take about as long.
HALVES = {"unit": ("units", "prov"), "functional": ("functions", "l")}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let rings be named."""
    parser.addoption("--ring", default="", help="run only rings whose names start with this")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the rings that are not asked for."""
    asked = config.getoption("--ring")
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (kept if _ring(item).startswith(asked) else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Fork a process for each ring. It returns from here to run its tests, and ends as any pytest does."""
    config = session.config
    rings: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in session.items:
        rings[_ring(item)].append(item)
    if len(rings) <= 1 or config.option.collectonly or session.testsfailed:
        return None
    running: dict[int, tuple[str, IO[bytes]]] = {}
    for name, items in sorted(rings.items(), key=lambda ring: ORDER.index(ring[0].partition("-")[0])):
        if len(running) == AT_ONCE:
            session.testsfailed += _wait_for_one(running)
        output: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed when its process ends
        sys.stdout.flush()
        if process := os.fork():
            running[process] = name, output
            continue
        die_with_parent()
        for stream in (sys.stdout, sys.stderr):
            os.dup2(output.fileno(), stream.fileno())
        for _, other in (("", output), *running.values()):
            other.close()
        session.items, session.testscollected, session.testsfailed = items, len(items), 0
        return None
    # Each process reports its own tests.
    config.pluginmanager.unregister(name="terminalreporter")
    while running:
        session.testsfailed += _wait_for_one(running)
    return True


def _wait_for_one(running: dict[int, tuple[str, IO[bytes]]]) -> bool:
    """Wait for the next process that ends, and print its output; return whether it failed."""
    process, status = os.wait()
    name, output = running.pop(process)
    with output:
        output.seek(0)
        code = os.waitstatus_to_exitcode(status)
        print(f"{name}: exit code {code}\n{output.read().decode(errors='replace')}", flush=True)  # noqa: T201
    return code != 0


def _ring(item: pytest.Item) -> str:
    """Return the ring of a test: by its folder, and by whether it needs the emulator."""
    folder, *_ = path = item.path.relative_to(TESTS).parts
    if item.get_closest_marker("ministack"):
        return "services-2" if path[-1].startswith("test_text") else "services-1"
    if folder not in HALVES:
        return "contract"
    name, second = HALVES[folder]
    return f"{name}-{2 if path[1].removeprefix('test_') >= second else 1}"
