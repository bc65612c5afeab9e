"""A gateway of text in front of a simulator, for all tests of a file."""

from collections.abc import Iterator

import pytest

from local.simulator.server import make_server
from tests.support import serving
from tests.support.simulator import running_simulator
from tests.unit.text.gateway import make_gateway
from tollgate.text.wire.stream import Meter


@pytest.fixture(scope="module")
def meters() -> list[Meter]:
    return []


@pytest.fixture(scope="module")
def gateway_url(meters: list[Meter]) -> Iterator[str]:
    with (
        running_simulator() as simulator_url,
        serving.running(make_server(make_gateway(simulator_url, meters))) as url,
    ):
        yield url
