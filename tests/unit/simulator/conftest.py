"""The simulator on a real loopback port, with a clock that tests move by hand."""

import time
from collections.abc import Iterator
from threading import Thread

import httpx
import pytest

from local.simulator.app import create_app
from local.simulator.server import make_server
from tests.unit.simulator.support import HandClock

STARTUP_ATTEMPTS = 500
STARTUP_PAUSE_S = 0.01


@pytest.fixture(scope="session")
def hand_clock() -> HandClock:
    return HandClock()


@pytest.fixture(scope="session")
def simulator_url(hand_clock: HandClock) -> Iterator[str]:
    server = make_server(create_app(clock=hand_clock))
    thread = Thread(target=server.run)
    thread.start()
    for _ in range(STARTUP_ATTEMPTS):
        if server.started:
            break
        time.sleep(STARTUP_PAUSE_S)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def http(simulator_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=simulator_url, timeout=10) as client:
        client.delete("/_jobs").raise_for_status()
        yield client
