"""The emulator as a process: it leaves nothing behind that it unpacked."""

import os
from pathlib import Path

import pytest

from local.machine.emulator import Emulator

pytestmark = pytest.mark.ministack


def test_what_it_unpacks_is_in_a_folder_of_its_own_that_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deployment's functions are some gigabytes there; a machine that tests every day was full of them."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    running = Emulator(tmp_path / "emulator.log")
    environment = Path(f"/proc/{running.process.pid}/environ").read_bytes().split(b"\0")
    (folder,) = [Path(os.fsdecode(one[7:])) for one in environment if one.startswith(b"TMPDIR=")]
    assert folder.parent == tmp_path
    (folder / "ministack-lambda-x").mkdir()
    (folder / "ministack-lambda-x/code.zip").write_bytes(b"x")
    running.stop()
    assert not folder.exists()
