"""A misbehaving file server, and a reader that may talk to it."""

from collections.abc import Iterator

import pytest

from tests.unit.probing.media_server import MediaServer, media_server
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.reader import MediaReader


@pytest.fixture
def server() -> Iterator[MediaServer]:
    with media_server() as running:
        yield running


@pytest.fixture
def outbound() -> Outbound:
    return Outbound(AddressGuard(allow_loopback=True))


@pytest.fixture
def reader(outbound: Outbound) -> MediaReader:
    return MediaReader(outbound)
