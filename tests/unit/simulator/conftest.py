"""The simulator on a real loopback port, with a clock that tests move by hand."""

from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI

from local.simulator.app import create_app
from local.simulator.server import make_server
from tests.support import serving
from tests.unit.simulator.support import HandClock


@pytest.fixture(scope="session")
def hand_clock() -> HandClock:
    return HandClock()


@pytest.fixture(scope="session")
def simulator_app(hand_clock: HandClock) -> FastAPI:
    """Return the simulator. To make it takes longer than most of its tests."""
    return create_app(clock=hand_clock)


@pytest.fixture(scope="session")
def simulator_url(simulator_app: FastAPI) -> Iterator[str]:
    with serving.running(make_server(simulator_app)) as url:
        yield url


@pytest.fixture
def http(simulator_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=simulator_url, timeout=10) as client:
        client.delete("/_jobs").raise_for_status()
        yield client
