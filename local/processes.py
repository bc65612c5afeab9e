"""Child processes that end with their parent."""

import ctypes
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

STOP_TIMEOUT_S = 5.0
_PR_SET_PDEATHSIG = 1


class LocalError(Exception):
    """An error for developers that is explained in one line."""


def start(
    name: str, command: Sequence[str], environment: Mapping[str, str], log: Path
) -> "subprocess.Popen[bytes]":
    """Start a program in a new session, with its output in `log`. Raises `LocalError`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with log.open("wb") as output:
            return subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Only the parent receives Ctrl-C. It stops the others in order.
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509
            )
    except OSError as exc:
        raise LocalError(f"Cannot start {name}: {exc}") from exc


def stop(process: "subprocess.Popen[bytes]", timeout_s: float = STOP_TIMEOUT_S) -> None:
    """End a process: by SIGTERM, and by SIGKILL after `timeout_s`."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def die_with_parent() -> None:
    """Make Linux end this child when its parent dies, even by SIGKILL. Other systems cannot."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
