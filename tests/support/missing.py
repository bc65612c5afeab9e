"""What a machine lacks for tests. They are skipped, and the run ends with the list of them, in red."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOW = {
    "curl": "apt-get install curl",
    "jq": "apt-get install jq",
    "node": "install Node.js (Debian: apt-get install nodejs npm)",
    "npm": "install Node.js (Debian: apt-get install nodejs npm)",
    "uv": "make installs it into .local/uv",
}
"""Where a program comes from."""


def missing(what: str) -> NoReturn:
    """Skip the test; `what` says what this machine lacks and how it gets that."""
    pytest.skip(what)


def needs(*programs: str) -> None:
    """Skip the test unless this machine has all of the programs."""
    for program in programs:
        if shutil.which(program) is None:
            missing(f"there is no {program}: {HOW.get(program, 'install it')}")


def uv() -> str:
    """Return where uv is; skips the test if this machine has none."""
    ours = ROOT / ".local/uv/bin/uv"
    if not ours.exists():
        needs("uv")
    return shutil.which("uv") or str(ours)


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Write the list below everything else: a green run must not hide what it left out."""
    try:
        return (yield)
    finally:
        if lines := listed(terminalreporter.stats.get("skipped", [])):
            terminalreporter.section(lines[0], sep="!", red=True, bold=True)
            for line in lines[1:]:
                terminalreporter.write_line(line, red=True)


def listed(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Return how many tests were skipped, then by reason how many of which file; empty if none was."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for report in reports:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple | list) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")][report.nodeid.partition("::")[0]] += 1
    if not found:
        return []
    count = sum(files.total() for files in found.values())
    lines = [f"{count} {'test' if count == 1 else 'tests'} did not run on this machine"]
    for reason, files in sorted(found.items()):
        lines += [f"{files.total():3}  {reason}", *(f"       {file}" for file in sorted(files))]
    return lines
