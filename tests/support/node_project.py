"""Node projects of tests: their packages are installed once for each lock file, and left out without npm."""

import fcntl
import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

from local.template import ROOT
from tests.support.missing import missing, needs

INSTALL_TIMEOUT_S = 300
NEWEST = Path(ROOT) / ".local/newest/clients" if os.environ.get("NEWEST") else None
"""The clients in their newest versions, which `NEWEST=1 make clients-check` has installed."""


def installed(project: Path) -> Path:
    """Return a copy of a project's folder that has its packages; skips the test where npm cannot."""
    needs("node", "npm")
    if NEWEST:
        return NEWEST / project.name
    lock = sha256((project / "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = Path(ROOT) / ".local/node" / lock
    folder.mkdir(parents=True, exist_ok=True)
    # Several processes of the tests need the same packages.
    with folder.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for file in project.iterdir():
            _copy(file, folder / file.name)
        if not (folder / ".ready").exists():
            _install(folder, project.name)
            (folder / ".ready").touch()
    return folder


def _copy(file: Path, to: Path) -> None:
    # A program of another process may read it now.
    if not to.exists() or to.read_bytes() != file.read_bytes():
        shutil.copy(file, to)


def _install(folder: Path, name: str) -> None:
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
    )
    if done.returncode:
        missing(f"npm cannot install {name}: {done.stderr.strip()[-200:]}")
