"""How a container reaches the loopback of this machine, and what it takes to have one."""

from urllib.parse import urlsplit

import httpx
import pytest

from local.machine.relay import Relay
from tests.support.http_server import Received, Reply, http_server

ANOTHER_ADDRESS = "127.0.0.2"
"""Of this machine too, and not the one that a server on loopback listens on (Linux)."""


class TestRelay:
    @pytest.mark.allow_hosts(["127.0.0.1", ANOTHER_ADDRESS])
    def test_bytes_go_both_ways_and_at_once(self) -> None:
        def echo(request: Received) -> Reply:
            return Reply(body=request.body)

        with http_server(echo) as url:
            port = urlsplit(url).port or 0
            relay = Relay(ANOTHER_ADDRESS, [port])
            relay.start()
            body = bytes(range(256)) * 1024
            with httpx.Client() as first, httpx.Client() as second:
                for client in (first, second, first):
                    answer = client.post(f"http://{ANOTHER_ADDRESS}:{port}", content=body)
                    assert answer.content == body
            relay.stop()

    def test_an_address_of_another_machine_is_refused(self) -> None:
        relay = Relay("203.0.113.7", [0])
        with pytest.raises(OSError, match="assign requested address"):
            relay.start()
        relay.stop()
