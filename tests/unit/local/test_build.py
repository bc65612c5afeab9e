"""A build is kept for as long as nothing changes that it reads."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from local.deploy import build
from local.processes import LocalError


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the processors of all builds, in a repository with one file in each place."""
    for name in build.INPUTS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("of before")
    for name in (*build.INPUT_FILES, "sam"):
        (tmp_path / name).write_text("of before")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "SAM", tmp_path / "sam")
    monkeypatch.setattr(build, "layer_python", lambda: "/usr/bin/python3.13")
    done: list[str] = []

    def run_sam(words: Sequence[str], environment: dict[str, str]) -> None:
        done.append(environment["ARCHITECTURE"])
        folder = Path(words[words.index("--build-dir") + 1])
        for part in ("ApiFunction", "DependenciesLayer"):
            (folder / part).mkdir(parents=True, exist_ok=True)
            (folder / part / "file").write_text(environment["ARCHITECTURE"])

    monkeypatch.setattr(build, "run_sam", run_sam)
    return done


def test_a_second_build_of_the_same_inputs_is_the_first(runs: list[str], tmp_path: Path) -> None:
    assert build.build("arm64") == build.build("arm64") == tmp_path / ".local" / "built" / "arm64"
    assert runs == ["arm64"]


def test_a_second_processor_takes_all_but_the_packages_from_the_first(
    runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(command: Sequence[str], environment: dict[str, str]) -> None:
        made.append(command[-1])
        assert environment["ARCHITECTURE"] == "x86_64"
        layer = Path(environment["ARTIFACTS_DIR"])
        assert command[-1] == f"build-{layer.name}"
        layer.mkdir()
        (layer / "file").write_text("x86_64")

    monkeypatch.setattr(build, "_run", make)
    first, second = build.build("arm64"), build.build("x86_64")
    assert runs == ["arm64"]
    assert made == [f"build-{name}Layer" for name in ("Dependencies", "Extra", "Media")]
    assert (second / "ApiFunction" / "file").samefile(first / "ApiFunction" / "file")
    assert [(each / "DependenciesLayer" / "file").read_text() for each in (first, second)] == [
        "arm64",
        "x86_64",
    ]
    # A changed input has no first build to take from.
    (tmp_path / "shared" / "file").write_text("of afterwards")
    build.build("x86_64")
    assert runs == ["arm64", "x86_64"]


@pytest.mark.parametrize("name", [*build.INPUT_FILES, *(f"{folder}/file" for folder in build.INPUTS)])
def test_a_changed_input_is_built_again(runs: list[str], tmp_path: Path, name: str) -> None:
    build.build("arm64")
    (tmp_path / name).write_text("of afterwards")
    build.build("arm64")
    assert len(runs) == 2


def test_a_file_more_or_less_is_built_again(runs: list[str], tmp_path: Path) -> None:
    build.build("arm64")
    (tmp_path / "shared" / "more").touch()
    build.build("arm64")
    (tmp_path / "shared" / "more").unlink()
    build.build("arm64")
    assert len(runs) == 3


def test_what_a_build_writes_again_changes_nothing(runs: list[str], tmp_path: Path) -> None:
    build.build("arm64")
    for name in build.GENERATED:
        (tmp_path / "shared" / name).mkdir()
        (tmp_path / "shared" / name / "file").touch()
    build.build("arm64")
    assert len(runs) == 1


def test_other_settings_of_the_layers_are_built_again(runs: list[str]) -> None:
    for python in ("3.13", "3.11", "3.11"):
        build.build("arm64", settings={"PYTHON_VERSION": python})
    assert len(runs) == 2


def test_a_failed_build_is_tried_again(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise LocalError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(build, "run_sam", fail)
        with pytest.raises(LocalError):
            build.build("arm64")
    build.build("arm64")
    assert runs == ["arm64"]
