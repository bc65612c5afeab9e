"""Which of a host's addresses is connected to."""

import asyncio
import socket
from typing import Any

import pytest

from tollgate.kit.http import happy_eyeballs
from tollgate.kit.http.happy_eyeballs import MAX_ADDRESSES, AddressInfo, alternated, connect

SIX, FOUR = socket.AF_INET6, socket.AF_INET


def info(address: str, port: int = 80, family: int = FOUR) -> AddressInfo:
    return family, socket.SOCK_STREAM, 0, "", (address, port)


LOOPS = [("asyncio", {"use_uvloop": is_uvloop}) for is_uvloop in (False, True)]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", LOOPS, ids=["asyncio", "uvloop"])
class TestConnect:
    @pytest.fixture
    def server(self) -> Any:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            yield listening.getsockname()[1]

    def named(self, *infos: AddressInfo) -> None:
        """Let `x.example` have these addresses."""
        loop = asyncio.get_running_loop()
        really = loop.getaddrinfo

        async def found(host: Any, *of: Any, **named: Any) -> Any:
            return list(infos) if host == "x.example" else await really(host, *of, **named)

        loop.getaddrinfo = found  # type: ignore[method-assign]

    async def test_a_silent_address_does_not_keep_the_next_one_waiting(
        self, server: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        attempt, ended = happy_eyeballs._attempt, []

        async def silent(loop: asyncio.AbstractEventLoop, address: AddressInfo) -> socket.socket:
            if address[4][0] != "192.0.2.1":
                return await attempt(loop, address)
            try:
                return await asyncio.Future()
            finally:
                ended.append(address[4][0])

        monkeypatch.setattr(happy_eyeballs, "_attempt", silent)
        self.named(info("192.0.2.1", server), info("127.0.0.1", server))
        with await connect("x.example", server) as connected:
            assert connected.getpeername() == ("127.0.0.1", server)
        assert ended == ["192.0.2.1"]

    async def test_an_address_that_refuses_leads_to_the_next_one(self, server: int) -> None:
        self.named(info("127.0.0.1", 1), info("127.0.0.1", server))
        with await connect("x.example", server) as connected:
            assert connected.getpeername() == ("127.0.0.1", server)

    async def test_if_all_refuse_the_first_ones_error_is_raised(self) -> None:
        self.named(info("127.0.0.1", 1), info("127.0.0.1", 2))
        with pytest.raises(ConnectionRefusedError, match=r"1\b"):
            await connect("x.example", 1)


class TestOrder:
    def test_the_two_families_take_turns(self) -> None:
        found = [info(name, family=SIX) for name in "abc"] + [info(name) for name in "de"]
        assert [each[4][0] for each in alternated(found)] == ["a", "d", "b", "e", "c"]

    def test_their_number_is_bounded(self) -> None:
        assert len(alternated([info(str(n)) for n in range(100)])) == MAX_ADDRESSES
