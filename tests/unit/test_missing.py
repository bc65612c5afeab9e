"""What a run left out is listed at its end, in red, with the count and what helps."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.template import ROOT
from tests.support import missing
from tests.support.missing import HOW, needs

TESTS = """
import pytest
from tests.support.missing import missing

@pytest.mark.parametrize("number", [1, 2])
def test_in_containers(number):
    missing("Docker is not installed here (Debian: apt-get install docker.io)")

@pytest.mark.skipif(True, reason="there is no npm")
def test_of_npm():
    pass

def test_that_runs():
    pass
"""
RED = "\x1b[31m"


def run(folder: Path, text: str, *options: str) -> list[str]:
    """Return the last lines of a run of some tests, with colours."""
    (folder / "test_some.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.missing", "--color=yes", *options]
    ran = subprocess.run(
        [*command, "--rootdir", str(folder), "-c", "/dev/null", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()[-6:]


class TestTheEndOfARun:
    @pytest.mark.parametrize("options", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "xdist"])
    def test_it_lists_what_did_not_run(self, tmp_path: Path, options: tuple[str, ...]) -> None:
        head, docker, of_docker, npm, of_npm, last = run(tmp_path, TESTS, *options)
        assert "!! 3 tests did not run on this machine !!" in head
        assert all(line.startswith(RED) for line in (head, docker, of_docker, npm, of_npm))
        assert "  2  Docker is not installed here (Debian: apt-get install docker.io)" in docker
        assert "  1  there is no npm" in npm
        assert [line.split("\x1b")[1].partition("m")[2].strip() for line in (of_docker, of_npm)] == [
            "test_some.py",
            "test_some.py",
        ]
        assert "3 skipped" in last

    def test_a_run_that_leaves_out_nothing_says_nothing(self, tmp_path: Path) -> None:
        assert "did not run" not in "".join(run(tmp_path, "def test_that_runs():\n    pass\n"))


class TestNeeds:
    def test_a_program_that_is_not_there_is_named_with_what_installs_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(pytest.skip.Exception, match="there is no jq: apt-get install jq"):
            needs("jq")

    def test_one_that_is_there_is_no_reason(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        for program in HOW:
            (tmp_path / program).write_text("#!/bin/sh\n")
            (tmp_path / program).chmod(0o755)
        needs(*HOW)

    def test_no_other_place_leaves_tests_out(self) -> None:
        ours = {Path(missing.__file__), Path(__file__)}
        skipping = [file for file in (ROOT / "tests").rglob("*.py") if "pytest.skip(" in file.read_text()]
        assert set(skipping) - ours == set()
