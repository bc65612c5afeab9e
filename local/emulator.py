"""MiniStack, the AWS emulator, as a process of ours: started clean, stopped for sure."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from local.processes import LocalError, start, stop

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / ".local" / "ministack" / "bin" / "ministack"
START_TIMEOUT_S = 60.0
POLL_S = 0.05


class Emulator:
    """A running MiniStack. `endpoint` is where its AWS APIs answer.

    `settings` are variables for it, and for the functions that are deployed into it. Without a `port` it
    takes one that is free.
    """

    def __init__(self, log: Path, settings: Mapping[str, str] | None = None, port: int | None = None) -> None:
        if not PROGRAM.exists():
            raise LocalError("The AWS emulator is not installed. `make run` installs it")
        port = port or free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        # It hands its own environment on to what it runs, so it gets none of ours.
        environment = {
            "HOME": os.environ.get("HOME", "/"),
            "PATH": os.defpath,
            "GATEWAY_PORT": str(port),
            "BIND_HOST": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
            **(settings or {}),
        }
        self.process = start("the AWS emulator", [str(PROGRAM)], environment, log)
        self._wait(log)

    def stop(self) -> None:
        """End the process."""
        stop(self.process)

    def _wait(self, log: Path) -> None:
        wait_for(f"{self.endpoint}/_ministack/health", self.process, "The AWS emulator", log)


def free_port() -> int:
    """Return a port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(
    url: str, process: "subprocess.Popen[bytes]", name: str, log: Path, timeout_s: float = START_TIMEOUT_S
) -> None:
    """Wait until `url` answers. Raises `LocalError` when the process ends or takes too long."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LocalError(f"{name} ended at once; its log: {log}")
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - our own loopback address
                return
        except urllib.error.HTTPError:
            return  # it answers, and that is what is asked
        except OSError:
            time.sleep(POLL_S)
    raise LocalError(f"{name} did not answer in {timeout_s:g} s; its log: {log}")
