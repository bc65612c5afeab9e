"""Programs that tests run to their end."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def output_of(command: Sequence[str], environment: Mapping[str, str], timeout_s: int, folder: Path) -> str:
    """Return what a program prints, which runs in `folder` without an input; it has to succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout
