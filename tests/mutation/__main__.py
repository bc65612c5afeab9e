"""`make mutants`: which small changes of the code does no test notice?

The tests run once, which shows the tests of each line. Then each mutant of a seeded sample has its own
process, forked after all imports, and only the tests of its line. A mutant is killed if one of them fails or
hangs.

mutmut has no seeded sample and no limit for a whole run. It removes no calls, so it cannot find an untested
permission check.
"""

import argparse
import importlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import coverage
import pytest

from tests.mutation.groups import GROUPS
from tests.mutation.mutants import Mutant, mutants_of

KILLED, SURVIVED, NOT_LOADED = 0, 1, 2
# CPU seconds, which a busy machine does not change: of all tests of a mutant (see `--seconds`), and the most
# that a mutant can add to one test. A loop without an end reaches it.
MUTANT_S = 20
ADDED_S = 20
# Tests that use less than a second of CPU in so long wait forever.
HANGING_S = 90


class Mutation:
    """The plugin that runs mutants instead of tests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.files = [Path(file) for pattern in options.files for file in sorted(Path().glob(pattern))]
        self.failed = False
        self.results: dict[Path, list[tuple[Mutant, str]]] = defaultdict(list)

    def pytest_collection(self) -> None:
        """Draw the same examples each time, and look for no smaller one of a failure."""
        from hypothesis import Phase, settings  # noqa: PLC0415 - pytest must be the first to import it

        # Before the test modules are imported, because each test copies the settings.
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings(), derandomize=True, database=None, phases=phases)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failure."""
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each mutant's tests in a process of its own."""
        for file in self.files:
            parts = file.with_suffix("").parts[1:]
            importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        with TemporaryDirectory() as folder:
            # A killed mutant deletes nothing.
            tempfile.tempdir = folder
            map_file = Path(self.options.map or f"{folder}/map.json")
            if not map_file.exists():
                os.waitpid(self._fork(partial(self._measure, session, map_file)), 0)
            found = json.loads(map_file.read_text())
            self._run_all(session, found["lines"], found["seconds"])
        tempfile.tempdir = None
        return True

    def _fork(self, work: Callable[[], int]) -> int:
        process = os.fork()
        if process:
            return process
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        code = KILLED
        # Whatever a mutant breaks is noticed.
        with suppress(BaseException):
            code = work()
        os._exit(code)

    def _measure(self, session: pytest.Session, map_file: Path) -> int:
        files = [str(file.resolve()) for file in self.files]
        cover = coverage.Coverage(data_file=None, config_file=False, include=files)
        seconds = {}
        cover.start()
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            cover.switch_context(item.nodeid)
            self.failed, started = False, time.process_time()
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if not self.failed:
                seconds[item.nodeid] = time.process_time() - started
        cover.stop()
        data = cover.get_data()
        lines = {file: data.contexts_by_lineno(file) for file in files}
        map_file.write_text(json.dumps({"lines": lines, "seconds": seconds}))
        return 0

    def _run_all(
        self, session: pytest.Session, lines: dict[str, dict[str, list[str]]], seconds: dict[str, float]
    ) -> None:
        items = {item.nodeid: item for item in session.items}
        waiting = list(self._sample())
        running: dict[int, _Tried] = {}
        ends = time.monotonic() + self.options.minutes * 60
        while (waiting and time.monotonic() < ends) or running:
            while waiting and len(running) < self.options.jobs and time.monotonic() < ends:
                mutant = waiting.pop(0)
                names = lines[str(mutant.path.resolve())].get(str(mutant.line), [])
                chosen = _fastest([name for name in names if name in items], seconds, self.options.seconds)
                if not chosen:
                    self._note(mutant, "no test")
                    continue
                tests = [(items[name], seconds[name]) for name in chosen]
                process = self._fork(partial(self._try, session, mutant, tests))
                running[process] = _Tried(mutant, Path(f"/proc/{process}/stat"))
            time.sleep(0.02)
            self._collect(running)
        if waiting:
            print(f"{len(waiting)} mutants of the sample were not tried: the time is over")

    def _collect(self, running: dict[int, "_Tried"]) -> None:
        for process, tried in list(running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if not ended and not tried.is_hanging():
                continue
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            if not ended:
                os.waitpid(process, 0)
            code = os.waitstatus_to_exitcode(status) if ended else KILLED
            self._note(tried.mutant, {SURVIVED: "survived", NOT_LOADED: "not loaded"}.get(code, "killed"))
            del running[process]

    def _note(self, mutant: Mutant, result: str) -> None:
        self.results[mutant.path].append((mutant, result))
        if result != "killed":
            print(f"{result}: {mutant}", flush=True)

    def _sample(self) -> Iterator[Mutant]:
        """Yield the mutants, one of each file in turn, because the time may end before the sample does."""
        for turn in zip_longest(*map(self._sample_of, self.files)):
            yield from (one for one in turn if one is not None)

    def _sample_of(self, file: Path) -> list[Mutant]:
        all_of = [one for one in mutants_of(file) if one.is_guard or not self.options.guards]
        numbers = self.options.numbers
        if numbers:
            return [one for one in all_of if f"{file}:{one.number}" in numbers]
        chance = random.Random(f"{self.options.seed} {file}")  # noqa: S311 - it only draws a sample
        most = len(all_of) if self.options.guards else self.options.sample
        return chance.sample(all_of, min(most, len(all_of)))

    def _try(
        self, session: pytest.Session, mutant: Mutant, tests: Sequence[tuple[pytest.Item, float]]
    ) -> int:
        if not self.options.control and not mutant.apply():
            return NOT_LOADED
        session.config.pluginmanager.unregister(name="terminalreporter")
        followers = [*(item for item, _ in tests[1:]), None]
        for (item, usual_s), following in zip(tests, followers, strict=True):
            limit = int(time.process_time() + 2 * usual_s + ADDED_S)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            self.failed = False
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return KILLED
        return SURVIVED

    def report(self) -> None:
        """Print the score of each file and of all."""
        rows = [(str(path), [result for _, result in found]) for path, found in self.results.items()]
        rows.append(("all", [result for _, found in rows for result in found]))
        for name, found in rows:
            killed = found.count("killed")
            print(f"{killed:4} of {len(found):4} killed  {100 * killed // max(1, len(found)):3} %  {name}")


@dataclass
class _Tried:
    """A mutant whose tests run, and the file with the CPU time of their process."""

    mutant: Mutant
    stat: Path
    used_s: float = -1
    since: float = 0

    def is_hanging(self) -> bool:
        """Return whether the tests wait forever. On a busy machine they are only slow."""
        # After the name, utime is the 12th field and stime the 13th (proc_pid_stat(5)).
        user, system = self.stat.read_text().rpartition(")")[2].split()[11:13]
        used_s = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        if used_s >= self.used_s + 1:
            self.used_s, self.since = used_s, time.monotonic()
        return time.monotonic() > self.since + HANGING_S


def _fastest(names: Sequence[str], seconds: dict[str, float], most_s: float) -> list[str]:
    """Return the tests that pass without a mutant, the fastest first, as many as `most_s` allows."""
    ordered = sorted(set(names) & set(seconds), key=lambda name: (seconds[name], name))
    total = accumulate(seconds[name] for name in ordered)
    return [name for name, until in zip(ordered, total, strict=True) if until <= most_s]


def main() -> int:
    """Run the sample; return the exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--files", nargs="+", help="patterns of other files to change")
    parser.add_argument("--tests", nargs="+", help="other tests that should notice")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=20, help="mutants of each file")
    parser.add_argument("--guards", action="store_true", help="each removed check and `raise` instead")
    parser.add_argument("--control", action="store_true", help="change nothing: every kill is a false one")
    parser.add_argument("--numbers", nargs="*", help="FILE:NUMBER of single mutants")
    parser.add_argument("--seconds", type=float, default=MUTANT_S, help="CPU of all tests of a mutant")
    parser.add_argument("--minutes", type=float, default=30, help="of all mutants together")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--map", help="a file with the tests of each line, written if there is none")
    options = parser.parse_args()
    os.environ["TOLLGATE_ALL_EXAMPLES"] = "1"
    group = GROUPS[options.group]
    options.files = options.files or group.files
    options.tests = options.tests or group.tests
    plugin = Mutation(options)
    marks = "not e2e and not aws and not suites and not long and not clients and not browser"
    if not group.emulator:
        marks += " and not ministack"
    code = pytest.main([*options.tests, "-q", "-m", marks, "-p", "no:cacheprovider"], plugins=[plugin])
    plugin.report()
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
