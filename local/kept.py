"""What `make run KEEP=1` keeps in `.local/kept` from one run to the next.

The emulator writes files to the disk as they come, and everything else (accounts, keys, tasks, balances,
queues) when it is stopped: a run that is killed hard loses what its tables learned since it began, and keeps
its files. The simulator forgets its jobs, so tasks that were running fail over or are refunded.
"""

import json
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from local.emulator import free_port
from local.files import FOLDER, Service
from local.processes import LocalError

# The tables of a busy day are written in seconds.
STATE_TIMEOUT_S = 60.0
_HOW_TO_FORGET = "or forget what was kept: rm -r"


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder of a service that remembers."""

    folder: Path = FOLDER / "kept"

    def settings(self) -> dict[str, str]:
        """Return the variables that make the emulator write and read its state."""
        return {
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self.folder / "tables"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self.folder / "files"),
        }

    def emulator_port(self) -> int:
        """Return the emulator's port, the same in every run: queues are named by it. Raises `LocalError`."""
        file = self.folder / "port"
        if not file.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_text(str(free_port()))
        port = int(file.read_text())
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as exc:
                raise LocalError(f"Port {port}, which the kept state needs, is taken") from exc
        return port

    def service(self, base_url: str) -> Service | None:
        """Return the service of an earlier run, None before the first.

        Raises `LocalError` where that had another address, which the addresses of its files begin with.
        """
        file = self.folder / "service.json"
        if not file.exists():
            return None
        earlier = Service(**json.loads(file.read_text()))
        if earlier.baseUrl != base_url:
            port = earlier.baseUrl.rpartition(":")[2]
            raise LocalError(f"What was kept is at PORT={port}: use that, {_HOW_TO_FORGET} {self.folder}")
        return earlier

    def remember(self, service: Service) -> None:
        """Keep how to reach the service, with the key of its first account."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "service.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(asdict(service), indent=2))
