"""The files that a running local service writes for its tools: its address, and their environment."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from local.processes import LocalError

FOLDER = Path(os.environ.get("TOLLGATE_LOCAL_FOLDER") or Path(__file__).resolve().parents[2] / ".local")
"""Another folder allows two services side by side, as in the tests."""
SERVICE = FOLDER / "service.json"
ENVIRONMENT = FOLDER / "environment.json"
LOGS = FOLDER / "logs"

STORAGE_PATH = "/storage"
"""The path of stored files on the service's port."""
ACCOUNTS_PATH = "/_local/accounts"
"""The path at which programs on this machine open accounts."""
ACCOUNTS_KEY = "TOLLGATE_LOCAL_KEY"
"""The variable with the key to `ACCOUNTS_PATH`: only this machine's user can read `ENVIRONMENT`."""
ACCOUNTS_HEADER = "x-local-key"
LAMBDA_PATH = "/_lambda"
"""The path of Lambda's Invoke API, for functions that call functions."""


@dataclass(frozen=True, slots=True)
class Service:
    """The address and keys of the running service (docs/architecture.md#on-one-machine)."""

    baseUrl: str
    storageUrl: str
    apiKey: str
    simulatorUrl: str
    webhookSecret: str


def write_service(service: Service) -> None:
    """Write the address and keys of the service."""
    _write(SERVICE, asdict(service))


def write_environment(environment: dict[str, str]) -> None:
    """Write the environment variables with which a handler runs against this service."""
    _write(ENVIRONMENT, environment)


def read_service() -> Service:
    """Return the address and keys of the running service. Raises `LocalError` if none is running."""
    return Service(**_read(SERVICE))


def read_accounts_key() -> str:
    """Return the key to `ACCOUNTS_PATH`. Raises `LocalError` if no service is running."""
    key: str = _read(ENVIRONMENT)[ACCOUNTS_KEY]
    return key


def forget_service() -> None:
    """Remove both files after the service has ended."""
    SERVICE.unlink(missing_ok=True)
    ENVIRONMENT.unlink(missing_ok=True)


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written to another file and renamed, so that no reader sees half of it. It contains keys.
    aside = path.with_suffix(".new")
    aside.touch(mode=0o600)
    aside.write_text(json.dumps(content, indent=2) + "\n")
    aside.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError as exc:
        raise LocalError("No service is running here. Start it with: make run") from exc
    return found
