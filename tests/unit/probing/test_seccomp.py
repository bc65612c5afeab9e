"""The filter of system calls: what a sealed process cannot do, tried in one, and the kernel's own numbers."""

import json
import os
import platform
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.probing.media_files import mp4
from tests.unit.probing.test_probe_tracks import FILM, TIMEOUT_S, Memory, child_folder
from tollgate.probing import seccomp, tracks
from tollgate.probing.seccomp import ARCHITECTURES, program
from tollgate.probing.tracks import read_tracks

EPERM = 1
# Only the filter, without the limits, which would refuse the same with other numbers (EMFILE, EAGAIN).
TRIAL = """
import ctypes, json, os, socket, sys, threading, time
from tollgate.probing.seccomp import install_filter
spare = os.open("/dev/null", os.O_WRONLY)
attempts = {
    "socket": socket.socket,
    "socket pair": socket.socketpair,
    "read a file": lambda: open("/etc/passwd"),
    "write a file": lambda: open(sys.argv[1], "w"),
    "delete a file": lambda: os.unlink(sys.argv[2]),
    "make a folder": lambda: os.mkdir(sys.argv[1]),
    "list a folder": lambda: os.listdir("/"),
    "fork": os.fork,
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "kill": lambda: os.kill(os.getppid(), 0),
    "pipe": os.pipe,
    "dup": lambda: os.dup(spare),
    "memory of others": lambda: os.memfd_create("x"),
    "change the owner": lambda: os.chown(sys.argv[2], 0, 0),
}
refused = install_filter()
def outcome(attempt):
    try:
        attempt()
    except OSError as exc:
        return exc.errno
    return "done"
found = {"seal": refused, **{name: outcome(attempt) for name, attempt in attempts.items()}}
try:
    threading.Thread(target=print).start()
    found["thread"] = "done"
except RuntimeError:
    found["thread"] = 1
found["what it needs"] = len(bytearray(64 * 1024 * 1024)) and time.monotonic() > 0 and len(os.urandom(8))
print(json.dumps(found))
"""


def runs_here() -> bool:
    return platform.system() == "Linux" and platform.machine() in ARCHITECTURES


@pytest.mark.skipif(not runs_here(), reason="no filter for this system")
class TestASealedProcess:
    def test_it_can_open_make_and_start_nothing(self, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.touch()
        command = [sys.executable, "-c", TRIAL, str(tmp_path / "made"), str(kept)]
        paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=paths)
        found = json.loads(done.stdout)
        assert found.pop("seal") is None
        assert found.pop("what it needs") == 8
        assert found == dict.fromkeys(found, EPERM)
        assert len(found) == 15
        assert list(tmp_path.iterdir()) == [kept]

    def test_the_process_that_parses_is_one(self) -> None:
        seen: list[str] = []
        found = read_tracks(
            "mp4", Memory(mp4(), lambda _: seen.append((child_folder() / "status").read_text())), TIMEOUT_S
        )
        status = dict(line.split(":\t", 1) for line in seen[0].splitlines() if ":\t" in line)
        assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
        assert found == FILM


class TestWhereThereIsNoFilter:
    def test_another_system_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(platform, "machine", lambda: "riscv64")
        monkeypatch.setattr(platform, "system", lambda: "Linux")
        assert seccomp.install_filter() == "no filter for Linux on riscv64"

    def test_the_media_is_read_all_the_same_and_the_log_says_it_once(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        # The child finds a machine that has none: its first path is this folder.
        (tmp_path / "platform.py").write_text("system = lambda: 'Linux'\nmachine = lambda: 'riscv64'\n")
        monkeypatch.syspath_prepend(tmp_path)
        tracks._warn_once.cache_clear()
        assert [read_tracks("mp4", Memory(mp4()), TIMEOUT_S) for _ in range(2)] == [FILM, FILM]
        (record,) = caplog.records
        assert record.getMessage() == "probe_media.unsealed"
        assert vars(record)["reason"] == "no filter for Linux on riscv64"


class TestProgram:
    @pytest.mark.parametrize("machine", sorted(ARCHITECTURES))
    def test_it_ends_in_a_refusal_and_every_jump_lands_inside(self, machine: str) -> None:
        lines = list(struct.iter_unpack("=HBBI", program(ARCHITECTURES[machine])))
        assert lines[-1] == (0x06, 0, 0, 0x0005_0000 | EPERM)
        jumps = [place + 1 + max(line[1:3]) for place, line in enumerate(lines) if line[0] == 0x15]
        assert max(jumps) == len(lines) - 1

    def test_the_numbers_are_the_kernel_s(self) -> None:
        """By the headers of this machine; of each kind that lie on it."""
        headers = {
            "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
            "aarch64": Path("/usr/include/asm-generic/unistd.h"),
        }
        for machine, header in headers.items():
            if not header.exists():
                continue
            found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text(), re.MULTILINE)
            theirs = dict(found)
            column = ARCHITECTURES[machine].column
            ours = {name: str(numbers[column]) for name, numbers in seccomp._ALLOWED.items()}
            assert ours == {name: theirs[name] for name in ours}
