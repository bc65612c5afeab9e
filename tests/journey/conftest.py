"""The emulator as a process, with sockets: many requests are under way at once."""

from collections.abc import Iterator

import pytest

from local.machine.emulator import Emulator


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Return a running emulator; `make` installs it."""
    running = Emulator(tmp_path_factory.mktemp("emulator") / "emulator.log")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def emulator_url(emulator: Emulator) -> str:
    """Return the address of that emulator."""
    return emulator.endpoint


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests, which mostly wait. At the end, nothing would run beside them."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
