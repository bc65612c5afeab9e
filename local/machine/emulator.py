"""MiniStack, the AWS emulator, in a child process that starts empty and always ends."""

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from local.processes import STOP_TIMEOUT_S, LocalError, start, stop

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".local" / "ministack" / "bin" / "ministack"
"""MiniStack on its own server and in its own Python, in which it then runs functions, too."""
QUICK = (sys.executable, "-P", str(Path(__file__).with_name("ministack.py")))
"""MiniStack on a quicker server and in our Python: for everything but functions."""
START_TIMEOUT_S = 120.0
ANSWER_S = 1.0
POLL_S = 0.05
PORTS = range(20_000, 32_000)
"""Below the range for outgoing connections, which could otherwise take a port before its server starts."""
MAX_PORTS_TRIED = 100


class Emulator:
    """A running MiniStack. `endpoint` is the address of its AWS APIs.

    `settings` are environment variables for it, and for the functions that are deployed into it. Without
    `port`, it takes a free port. `program` is the command that starts it.
    """

    def __init__(
        self,
        log: Path,
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
        program: Sequence[str] = QUICK,
    ) -> None:
        if not PROGRAM.exists():
            raise LocalError("The AWS emulator is not installed. `make run` installs it")
        port = port or free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        # It unpacks each function that runs, with its layers, and never deletes that: gigabytes.
        self._unpacked = TemporaryDirectory(prefix="tollgate-emulator-", ignore_cleanup_errors=True)
        # It passes its environment to the functions that it runs, so it receives a new environment.
        environment = {
            "HOME": os.environ.get("HOME", "/"),
            "PATH": os.defpath,
            "TMPDIR": self._unpacked.name,
            "GATEWAY_PORT": str(port),
            "BIND_HOST": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
            # The bulk of its start would be a certificate for this listener.
            "IOT_MTLS_ENABLED": "0",
            **(settings or {}),
        }
        self.process = start("the AWS emulator", program, environment, log)
        self._wait(log)

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """End the process within `timeout_s`, by SIGKILL if needed, and delete the unpacked files."""
        stop(self.process, timeout_s)
        self._unpacked.cleanup()

    def _wait(self, log: Path) -> None:
        wait_for(f"{self.endpoint}/_ministack/health", self.process, "The AWS emulator", log)


def free_port() -> int:
    """Return a free port of this machine, which this process returns only once.

    Raises `LocalError` if none is found.
    """
    for _ in range(MAX_PORTS_TRIED):
        port = PORTS[secrets.randbelow(len(PORTS))]
        if _is_free(port) and _is_reserved_now(port):
            return port
    raise LocalError("No port is free on this machine")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _is_reserved_now(port: int) -> bool:
    # The server starts seconds later. Until then, the UDP port with that number marks the port as taken.
    kept = socket.socket(type=socket.SOCK_DGRAM)
    try:
        kept.bind(("127.0.0.1", port))
    except OSError:
        kept.close()
        return False
    kept.detach()  # open for as long as this process
    return True


def wait_for(
    url: str,
    process: "subprocess.Popen[bytes]",
    name: str,
    log: Path,
    timeout_s: float = START_TIMEOUT_S,
    *,
    answer_s: float = ANSWER_S,
) -> int:
    """Wait until `url` responds, and return the status. Each request may take `answer_s`.

    Raises `LocalError` if the process ends or takes too long.
    """
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LocalError(f"{name} ended at once; its log: {log}")
        try:
            with urllib.request.urlopen(url, timeout=answer_s) as answer:  # noqa: S310 - our own loopback address
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            return refused.code
        except OSError:
            time.sleep(POLL_S)
    raise LocalError(f"{name} did not answer in {timeout_s:g} s; its log: {log}")
