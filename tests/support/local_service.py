"""The whole service as `make run` starts it, with a folder of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.machine.emulator import free_port
from local.template import ROOT

TIMEOUT_S = 60.0


def environment(folder: Path) -> dict[str, str]:
    """Return the environment that `make` gives, with a folder of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": "functions:shared:.",
        "TOLLGATE_LOCAL_FOLDER": str(folder),
        "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1",
    }


def command(*arguments: str) -> list[str]:
    """Return the command behind a Makefile target."""
    return [sys.executable, "-m", "local", *arguments]


@contextmanager
def running_service(
    folder: Path, *options: str, port: int | None = None, ending: signal.Signals = signal.SIGINT
) -> Iterator[dict[str, Any]]:
    """Run the service as a process; give `service.json`. It is ended by `ending`.

    Ctrl-C must end every process that it started, and take `service.json` away.
    """
    log = (folder / "run.log").open("wb")
    process = subprocess.Popen(
        command("run", "--port", str(port or free_port()), *options),
        cwd=ROOT,
        env=environment(folder),
        stdout=log,
        stderr=log,
    )
    end = time.monotonic() + TIMEOUT_S
    children: list[str] = []
    try:
        while not (folder / "service.json").exists():
            assert process.poll() is None, (folder / "run.log").read_text()
            assert time.monotonic() < end, (folder / "run.log").read_text()
            time.sleep(0.05)
        children = _children_of(process.pid)
        assert children
        yield json.loads((folder / "service.json").read_text())
    finally:
        process.send_signal(ending)
        code = process.wait(TIMEOUT_S)
        log.close()
        assert code == (0 if ending == signal.SIGINT else -ending)
        if ending == signal.SIGINT:
            assert not any(Path(f"/proc/{child}").exists() for child in children)
            assert not (folder / "service.json").exists()


def _children_of(pid: int) -> list[str]:
    """Return the process ids of a process's children (Linux)."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
