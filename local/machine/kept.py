"""The data that `make run KEEP=1` keeps in `.local/kept` between runs.

The emulator writes files to the disk at once, and everything else (accounts, keys, tasks, balances, queues)
when it is stopped. A run that is killed loses its changes to tables, but not its files. The simulator keeps
no jobs, so running tasks fail over or are refunded.
"""

import json
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from local.machine.emulator import free_port
from local.machine.files import FOLDER, Service
from local.processes import LocalError

# Writing the tables of a busy day takes seconds.
STATE_TIMEOUT_S = 60.0
_HOW_TO_FORGET = "or delete the saved state: rm -r"


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder with the kept data."""

    folder: Path = FOLDER / "kept"

    def settings(self) -> dict[str, str]:
        """Return the variables with which the emulator writes and reads its state."""
        return {
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self.folder / "tables"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self.folder / "files"),
        }

    def emulator_port(self) -> int:
        """Return the emulator's port. It is the same in every run, because queues' URLs contain it.

        Raises `LocalError`.
        """
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
        """Return the service of an earlier run, or `None` before the first.

        Raises `LocalError` if its address differs, because the URLs of its files begin with the address.
        """
        file = self.folder / "service.json"
        if not file.exists():
            return None
        earlier = Service(**json.loads(file.read_text()))
        if earlier.baseUrl != base_url:
            port = earlier.baseUrl.rpartition(":")[2]
            raise LocalError(
                f"The saved state is for PORT={port}: use that port, {_HOW_TO_FORGET} {self.folder}"
            )
        return earlier

    def remember(self, service: Service) -> None:
        """Store the service's address, with the key of its first account."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "service.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(asdict(service), indent=2))
