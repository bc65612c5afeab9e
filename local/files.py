"""What a running local service leaves for others: `.local/service.json`, and the environment of its tools."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from local.processes import LocalError

FOLDER = Path(os.environ.get("TOLLGATE_LOCAL_FOLDER") or Path(__file__).resolve().parents[1] / ".local")
"""Another folder lets two services run side by side, as the tests' own does."""
SERVICE = FOLDER / "service.json"
ENVIRONMENT = FOLDER / "environment.json"
LOGS = FOLDER / "logs"

STORAGE_PATH = "/storage"
"""Where the service's one port serves stored files."""
LAMBDA_PATH = "/_lambda"
"""Where it speaks Lambda's Invoke API, for functions that call functions."""


@dataclass(frozen=True, slots=True)
class Service:
    """How to reach the running service (docs/architecture.md#on-one-machine)."""

    baseUrl: str
    storageUrl: str
    apiKey: str
    simulatorUrl: str
    webhookSecret: str


def write_service(service: Service) -> None:
    """Leave how to reach the service."""
    _write(SERVICE, asdict(service))


def write_environment(environment: dict[str, str]) -> None:
    """Leave the variables with which a handler runs against this service."""
    _write(ENVIRONMENT, environment)


def read_service() -> Service:
    """Return how to reach the running service. Raises `LocalError` when none runs."""
    return Service(**_read(SERVICE))


def use_environment() -> None:
    """Put the running service's variables into this process. Raises `LocalError` when none runs."""
    os.environ.update(_read(ENVIRONMENT))


def forget_service() -> None:
    """Remove both files: the service is gone."""
    SERVICE.unlink(missing_ok=True)
    ENVIRONMENT.unlink(missing_ok=True)


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and moved, so that who waits for the file never reads half of it. Keys are inside.
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
