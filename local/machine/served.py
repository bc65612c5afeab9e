"""The files that programs write for the service: the packages of the clients and the images of previews.

`sam build` runs the same programs (shared/Makefile). `make run` runs them only if a source or a file changed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256

from local.deploy.build import files_below
from local.machine.files import LOGS
from local.processes import LocalError, start
from local.template import ROOT
from tollgate.reference import clients, preview_store

SOURCES = ("clients", "local", "shared", "uv.lock")
"""The files and folders that the programs read, and the versions of their packages."""
STAMP = ROOT / ".local" / "served"
FOLDERS = (clients.FOLDER, preview_store.FOLDER)
PROGRAMS = {
    "clients": [str(ROOT / "clients" / "build.py"), str(clients.FOLDER)],
    "previews": ["-m", "local.deploy.previews", str(preview_store.FOLDER)],
}


class ServedFiles:
    """Writes the files in other processes, while the other parts of the service start."""

    def __init__(self) -> None:
        # Read before the programs start, so that a change during their run is noticed at the next start.
        self._sources = _digest(_sources())
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        if STAMP.exists() and STAMP.read_text() == self._state():
            return
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}"}
        for name, program in PROGRAMS.items():
            self._processes[name] = start(name, [sys.executable, *program], environment, LOGS / f"{name}.log")

    def wait(self) -> None:
        """Wait for the files. Raises `LocalError` if a program failed."""
        for name, process in self._processes.items():
            if process.wait():
                raise LocalError(f"The {name} that the service serves were not built: {LOGS / f'{name}.log'}")
        if self._processes:
            STAMP.parent.mkdir(exist_ok=True)
            STAMP.write_text(self._state())

    def _state(self) -> str:
        made = (path for folder in FOLDERS for path in folder.glob("*.*"))
        return f"{self._sources} {_digest((path, path.stat().st_size) for path in made)}"


def _sources() -> Iterator[tuple[object, ...]]:
    """Yield each source with its size and time."""
    for path in files_below(SOURCES):
        about = path.stat()
        yield path, about.st_size, about.st_mtime_ns


def _digest(facts: Iterator[tuple[object, ...]]) -> str:
    return sha256(repr(sorted(map(str, facts))).encode()).hexdigest()
