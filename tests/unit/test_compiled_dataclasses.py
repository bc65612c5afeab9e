"""Dataclasses have the same methods from the stored byte code as from their source, and need no file."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local.deploy.compiled_dataclasses import modules
from local.template import ROOT

PYTHONPATH = ":".join(str(ROOT / folder) for folder in ("functions", "shared", ""))
TIMEOUT_S = 60
SAMPLE = """
from dataclasses import dataclass, field

@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Price:
    cents: int
    currency: str = "USD"
    notes: list = field(default_factory=list, compare=False, repr=False)

@dataclass
class Plain:
    name: str

    def __post_init__(self):
        self.name = self.name.strip()
"""
UNKNOWN = """
from dataclasses import dataclass

@dataclass
class Unknown:
    other: str
"""
STORE = """
import sys
from pathlib import Path
from local.deploy.compiled_dataclasses import sources
from tollgate.kit.compiled_dataclasses import packed
Path(sys.argv[1]).write_bytes(packed(sources(["sample"])))
"""
# `dataclasses` names the function of its source so, and Python announces what it compiles.
USE = """
import json, sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from tollgate.kit.compiled_dataclasses import use_compiled

compiled = 0
def watch(event, arguments):
    global compiled
    if event == "compile" and isinstance(arguments[0], bytes):
        compiled += b"__create_fn__" in arguments[0]
use_compiled(Path(sys.argv[1]))
sys.addaudithook(watch)
module = __import__(sys.argv[2])
before = compiled
if sys.argv[2] == "sample":
    price = module.Price(cents=5)
    assert price == module.Price(cents=5, notes=[1]) != module.Price(cents=6)
    assert hash(price) == hash(module.Price(cents=5, notes=[1]))
    assert module.Price(cents=4) < price < module.Price(cents=5, currency="VND")
    assert repr(price) == "Price(cents=5, currency='USD')"
    assert replace(price, cents=7).cents == 7 and price.notes is not module.Price(cents=5).notes
    for wrong, error in ((lambda: setattr(price, "cents", 1), FrozenInstanceError),
                         (lambda: delattr(price, "cents"), FrozenInstanceError),
                         (lambda: module.Price(5), TypeError), (lambda: module.Price(), TypeError)):
        try:
            wrong()
        except error:
            continue
        raise AssertionError(error)
    assert repr(module.Plain(" a ")) == "Plain(name='a')"
    module.Plain("a").name = "b"
else:
    assert module.Unknown("x") == module.Unknown("x")
print(json.dumps(before))
"""


def run(script: str, folder: Path, *arguments: str) -> str:
    """Run a script in a process of its own, with the modules of a folder; return its output."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={"PYTHONPATH": f"{PYTHONPATH}:{folder}"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def compiled_at_import(file: Path, module: str) -> int:
    """Return how many sources `dataclasses` compiled for a module, after its classes were used."""
    found: Any = json.loads(run(USE, file.parent, str(file), module))
    assert isinstance(found, int)
    return found


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Return a file with the code of the classes of `sample`, beside `sample` and `unknown`."""
    (tmp_path / "sample.py").write_text(SAMPLE)
    (tmp_path / "unknown.py").write_text(UNKNOWN)
    file = tmp_path / "dataclasses.marshal"
    run(STORE, tmp_path, str(file))
    return file


class TestStoredCode:
    def test_classes_work_from_it_and_compile_nothing(self, stored: Path) -> None:
        assert compiled_at_import(stored, "sample") == 0

    def test_a_class_that_is_not_in_it_is_compiled(self, stored: Path) -> None:
        assert compiled_at_import(stored, "unknown") > 0

    def test_without_a_file_classes_are_compiled(self, stored: Path) -> None:
        stored.unlink()
        assert compiled_at_import(stored, "sample") > 0

    def test_a_file_of_another_python_is_ignored(self, stored: Path) -> None:
        content = stored.read_bytes()
        stored.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        assert compiled_at_import(stored, "sample") > 0

    def test_the_same_classes_make_the_same_file(self, stored: Path, tmp_path: Path) -> None:
        again = tmp_path / "again.marshal"
        run(STORE, tmp_path, str(again))
        assert again.read_bytes() == stored.read_bytes()


def test_the_build_imports_all_that_functions_may_import() -> None:
    named = modules(ROOT / "functions")
    assert {
        "text.app",
        "dashboard.pages.overview",
        "tollgate.probing.demuxer",
        "tollgate.ledger.entries",
    } <= {*named}
    assert not [name for name in named if name.startswith("tollgate.command")]
