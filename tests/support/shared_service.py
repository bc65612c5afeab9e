"""A pytest plugin: one local service for all tests of the group `local-service`, which run in a row.

To start one takes longer than most tests with it. Each module has an account of its own on it.
"""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.local_service import running_service
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.money import micro_usd_of_cents

GROUP = "local-service"
BALANCE_CENTS = 10_000

_open = ExitStack()
_running: dict[str, Any] = {}


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the service after the last test of the group: it takes CPU for as long as it is there."""
    if nextitem is None or not _is_in_group(nextitem):
        _running.clear()
        _open.close()


def _is_in_group(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("xdist_group")
    return marker is not None and marker.args[0] == GROUP


@pytest.fixture(scope="module")
def service_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the running service, started where it is not there yet."""
    if not _running:
        folder = Path(tmp_path_factory.mktemp("local"))
        _running.update(_open.enter_context(running_service(folder)), folder=folder)
    return Path(_running["folder"])


@pytest.fixture(scope="module")
def shared_service(service_folder: Path) -> dict[str, Any]:
    """Return what `service.json` says of the running service, but with an account for this module."""
    environment = json.loads((service_folder / "environment.json").read_text())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        parts.forget()
        opened = api_parts.api().accounts.open(micro_usd_of_cents(BALANCE_CENTS))
        parts.forget()
    return {**_running, "apiKey": opened.api_key, "webhookSecret": opened.webhook_secret}
