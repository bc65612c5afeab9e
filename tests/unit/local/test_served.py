"""`make run` makes the files that it serves again only if that is needed."""

from pathlib import Path

import pytest

from local.deploy import build
from local.machine import served
from local.machine.served import ServedFiles
from local.processes import LocalError

PROGRAM = """
import sys
from pathlib import Path
Path(sys.argv[1], "a.png").touch()
Path(sys.argv[2]).open("a").write("run ")
"""
"""It makes a file, and notes in another one that it ran."""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which each run is noted, in a repository with one source."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "source.py").touch()
    (tmp_path / "made").mkdir()
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(served, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(served, "STAMP", tmp_path / ".local" / "served")
    monkeypatch.setattr(served, "FOLDERS", (tmp_path / "made",))
    noted = tmp_path / "runs"
    monkeypatch.setattr(served, "PROGRAMS", {"files": ["-c", PROGRAM, str(tmp_path / "made"), str(noted)]})
    return noted


def runs_of(noted: Path) -> int:
    """Start once more, and return how often the program ran until now."""
    ServedFiles().wait()
    return noted.read_text().count("run")


def test_files_of_the_same_sources_are_made_once(runs: Path) -> None:
    assert [runs_of(runs), runs_of(runs)] == [1, 1]


def test_a_changed_source_makes_them_again(runs: Path, tmp_path: Path) -> None:
    assert runs_of(runs) == 1
    (tmp_path / "shared" / "source.py").write_text("changed")
    assert runs_of(runs) == 2
    (tmp_path / "shared" / "another.py").touch()
    assert runs_of(runs) == 3


def test_a_missing_file_makes_them_again(runs: Path, tmp_path: Path) -> None:
    assert runs_of(runs) == 1
    (tmp_path / "made" / "a.png").unlink()
    assert runs_of(runs) == 2


def test_a_failure_is_told_and_tried_again(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(served, "PROGRAMS", {"files": ["-c", "raise SystemExit(1)"]})
        with pytest.raises(LocalError, match="The files that the service serves were not built"):
            ServedFiles().wait()
    assert runs_of(runs) == 1
