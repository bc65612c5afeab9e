"""An answer reaches only the request that it answers.

What nobody asked for lies unread in the socket when the next request is made: each test builds exactly this
state, and lets the loop read nothing in between.
"""

import asyncio
import os
import select
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.hostile_upstream import certificate, listening, serving_tls
from tollgate.kit.http import response as http_response
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import ClosedIdleError, HttpError, Response

pytestmark = pytest.mark.anyio

LONG_S = 10.0
"""Far above what any answer here takes."""

TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 4\r\n\r\nidle"
TIMED_OUT_AND_OPEN = TIMED_OUT.replace(b"connection: close\r\n", b"")


def answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


@dataclass(slots=True)
class Echo:
    """Answers each request with its body. Keeps the writers, for what nobody asked for."""

    bodies: list[bytes] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    answers: dict[bytes, bytes] = field(default_factory=dict)
    """What some bodies are answered with instead, and then the connection is closed if the answer says so or
    has no end."""
    recovers: bool = False
    """Whether such a body is answered as any other when it comes again."""
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
            self.bodies.append(body)
            is_second = self.recovers and body in self.bodies[:-1]
            said = answer(body) if is_second else self.answers.get(body, answer(body))
            writer.write(said)
            if not said.endswith((body, b"idle")) or b"connection: close" in said:
                return


@dataclass(slots=True)
class Desk:
    """A client beside its upstream."""

    echo: Echo
    http: HttpClient = field(default_factory=HttpClient)

    async def ask(self, body: bytes, *, repeatable: bool = False) -> tuple[int, bytes]:
        response: Response = await self.http.request(
            "POST", self.echo.url, header_lines({}), body, timeout_s=LONG_S, repeatable=repeatable
        )
        return response.status, await response.read(1000)

    def wait_until_readable(self) -> None:
        """Block until something lies unread on the idle connection; the loop gets no turn to read it."""
        (kept,) = self.http._kept.values()
        assert select.select([kept[-1]._transport.get_extra_info("socket")], [], [], LONG_S)[0]  # type: ignore[union-attr]


@asynccontextmanager
async def echoing(tls: ssl.SSLContext | None = None, **answers: bytes) -> AsyncIterator[Desk]:
    echo = Echo(answers={body.encode(): said for body, said in answers.items()})
    async with listening(echo.serve, tls) as echo.url:
        desk = Desk(echo)
        yield desk
        desk.http.close()


@pytest.fixture(params=["plain", "tls", "tls on uvloop"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tls(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext | None:
    """Return what a server needs for TLS."""
    return None if way == "plain" else serving_tls(trusted(tmp_path, monkeypatch))


@pytest.fixture
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Return the loop. Tests without TLS run on the usual one."""
    is_given = "tls" in request.fixturenames
    return "asyncio", {"use_uvloop": is_given and "uvloop" in request.getfixturevalue("way")}


def trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a certificate that the client trusts."""
    file = certificate(folder)
    trusting = ssl.create_default_context(cafile=file)
    monkeypatch.setattr("tollgate.kit.http.client.ssl.create_default_context", lambda: trusting)
    return file


SURPLUS = {
    "an answer": answer(b"stolen"),
    "two answers": answer(b"stolen") * 2,
    "half an answer": answer(b"stolen")[:-3],
    "a byte": b"H",
    "a line": b"\r\n",
    "an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n",
    "a 408": TIMED_OUT,
    "a 408 that keeps the connection": TIMED_OUT_AND_OPEN,
}


class TestAKeptConnection:
    @pytest.mark.parametrize("surplus", SURPLUS.values(), ids=SURPLUS)
    async def test_is_not_used_if_something_lies_unread_on_it(
        self, surplus: bytes, tls: ssl.SSLContext | None
    ) -> None:
        async with echoing(tls) as desk:
            for n in (b"1", b"2", b"3"):
                assert await desk.ask(n) == (200, n)
                desk.echo.writers[-1].write(surplus)
                desk.wait_until_readable()
            # Each request went out once, and on a connection of its own.
            assert (desk.echo.bodies, len(desk.echo.writers)) == ([b"1", b"2", b"3"], 3)

    async def test_is_not_used_if_its_end_lies_unread_on_it(self, tls: ssl.SSLContext | None) -> None:
        async with echoing(tls) as desk:
            assert await desk.ask(b"1") == (200, b"1")
            end_of = desk.echo.writers[-1].get_extra_info("socket").fileno()
            with socket.socket(fileno=os.dup(end_of)) as end:
                end.shutdown(socket.SHUT_WR)
            desk.wait_until_readable()
            assert await desk.ask(b"2") == (200, b"2")
            assert desk.echo.bodies == [b"1", b"2"]

    async def test_httpx_does_not_use_it_either(self) -> None:
        async with echoing() as desk, httpx.AsyncClient(trust_env=False) as client:
            for n in (b"1", b"2", b"3"):
                assert (await client.post(desk.echo.url, content=n)).content == n
                desk.echo.writers[-1].write(answer(b"stolen"))
                stream = client._transport._pool.connections[0]._connection._network_stream  # type: ignore[attr-defined]
                assert select.select([stream.get_extra_info("socket")], [], [], LONG_S)[0]
            assert len(desk.echo.writers) == 3

    async def test_is_used_again_if_nothing_lies_on_it(self, tls: ssl.SSLContext | None) -> None:
        async with echoing(tls) as desk:
            for n in (b"1", b"2", b"3"):
                assert await desk.ask(n) == (200, n)
            assert len(desk.echo.writers) == 1

    async def test_is_not_kept_if_its_reader_was_too_slow(
        self, tls: ssl.SSLContext | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # What TLS has read and not unpacked does not lie in the socket, so nobody could see it there.
        monkeypatch.setattr(http_response, "MAX_UNREAD_BYTES", 3)
        late = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        async with echoing(tls, late=late) as desk:
            assert await desk.ask(b"late") == (200, b"hello")
            assert await desk.ask(b"2") == (200, b"2")
            assert len(desk.echo.writers) == 2


@dataclass(slots=True)
class SpeaksFirst:
    """A server in a thread, which says `first` before it is asked, and answers what it is asked then."""

    first: bytes
    tls: ssl.SSLContext | None
    closes: bool = False
    shook_hands: threading.Event = field(default_factory=threading.Event)
    connected: threading.Event = field(default_factory=threading.Event)
    has_spoken: threading.Event = field(default_factory=threading.Event)
    heard: bytes = b""
    url: str = ""

    @contextmanager
    def running(self) -> Iterator["SpeaksFirst"]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            name = "https://localhost" if self.tls else "http://127.0.0.1"
            self.url = f"{name}:{server.getsockname()[1]}"
            thread = threading.Thread(target=self._serve, args=(server,))
            thread.start()
            yield self
            thread.join()

    def _serve(self, server: socket.socket) -> None:
        connection, _ = server.accept()
        connection.settimeout(LONG_S)
        # Otherwise it holds back what comes after the first ticket of TLS.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is not None:
            connection = self.tls.wrap_socket(connection, server_side=True)
        self.shook_hands.set()
        with connection:
            assert self.connected.wait(LONG_S)
            connection.sendall(self.first)
            if self.closes:
                connection.shutdown(socket.SHUT_WR)
            self.has_spoken.set()
            # What was asked comes, or the end of the connection.
            with suppress(OSError):
                self.heard = connection.recv(1000)
                connection.sendall(answer(b"asked"))

    def holds_back(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let `loop` hand on a new connection only when `first` lies in its socket, unread."""
        connect = loop.create_connection

        async def connecting(*of: Any, **named: Any) -> Any:
            transport, protocol = await connect(*of, **named)
            if self.first or self.closes:
                # The last word of the handshake goes out in the next turns of uvloop.
                assert await asyncio.to_thread(self.shook_hands.wait, LONG_S)
            self.connected.set()
            assert self.has_spoken.wait(LONG_S)
            assert select.select([transport.get_extra_info("socket")], [], [], LONG_S)[0]
            return transport, protocol

        loop.create_connection = connecting  # type: ignore[method-assign]


class TestANewConnection:
    @pytest.mark.parametrize("first", SURPLUS.values(), ids=SURPLUS)
    async def test_is_not_used_if_the_other_end_speaks_first(
        self, first: bytes, tls: ssl.SSLContext | None
    ) -> None:
        with SpeaksFirst(first, tls).running() as server:
            await self.is_refused(server)
        assert server.heard == b""

    async def test_is_not_used_if_the_other_end_closes_first(self, tls: ssl.SSLContext | None) -> None:
        with SpeaksFirst(b"", tls, closes=True).running() as server:
            await self.is_refused(server)
        assert server.heard == b""

    async def is_refused(self, server: SpeaksFirst) -> None:
        http = HttpClient()
        server.holds_back(asyncio.get_running_loop())
        with pytest.raises(HttpError, match="before it was asked"):
            await http.request("POST", server.url, header_lines({}), b"x", timeout_s=LONG_S)
        # The end of the connection is sent in the next turns of the loop.
        await asyncio.sleep(0.01)

    async def test_may_have_tickets_of_tls_to_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with SpeaksFirst(b"", serving_tls(trusted(tmp_path, monkeypatch))).running() as server:
            http = HttpClient()
            server.holds_back(asyncio.get_running_loop())
            response = await http.request("POST", server.url, header_lines({}), b"x", timeout_s=LONG_S)
            assert await response.read(10) == b"asked"
            http.close()


class TestARequestOnItsWay:
    """What meets a request that has gone out on a kept connection."""

    @pytest.mark.parametrize("met_by", [b"", TIMED_OUT, TIMED_OUT_AND_OPEN])
    async def test_is_sent_again_if_it_may_be(self, met_by: bytes, tls: ssl.SSLContext | None) -> None:
        async with echoing(tls, again=met_by) as desk:
            await desk.ask(b"1")
            desk.echo.recovers = True
            assert await desk.ask(b"again", repeatable=True) == (200, b"again")
            assert desk.echo.bodies == [b"1", b"again", b"again"]

    @pytest.mark.parametrize("met_by", [b"", TIMED_OUT, TIMED_OUT_AND_OPEN])
    async def test_is_sent_once_if_nobody_said_that_it_may_be_repeated(
        self, met_by: bytes, tls: ssl.SSLContext | None
    ) -> None:
        async with echoing(tls, once=met_by) as desk:
            await desk.ask(b"1")
            with pytest.raises(ClosedIdleError):
                await desk.ask(b"once")
            assert await desk.ask(b"3") == (200, b"3")
            assert desk.echo.bodies == [b"1", b"once", b"3"]
            assert len(desk.echo.writers) == 2

    async def test_is_sent_twice_at_most(self) -> None:
        async with echoing(never=b"") as desk:
            await desk.ask(b"1")
            with pytest.raises(HttpError, match="closed"):
                await desk.ask(b"never", repeatable=True)
            assert desk.echo.bodies == [b"1", b"never", b"never"]

    @pytest.mark.parametrize("met_by", [b"", b"HTTP/1.1 2", answer(b"1")[:-1]])
    async def test_is_not_sent_again_on_a_new_connection_or_once_it_is_being_answered(
        self, met_by: bytes
    ) -> None:
        async with echoing(begun=met_by) as desk:
            if met_by:
                await desk.ask(b"1")
            with pytest.raises(HttpError, match="closed"):
                await desk.ask(b"begun", repeatable=True)
            assert desk.echo.bodies.count(b"begun") == 1

    async def test_was_in_hand_if_the_connection_is_closed_later(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The other end may have worked on it, and failed.
        monkeypatch.setattr(http_response, "CLOSED_IDLE_S", 0.0)
        async with echoing(later=b"", slow=TIMED_OUT) as desk:
            await desk.ask(b"1")
            with pytest.raises(HttpError) as caught:
                await desk.ask(b"later", repeatable=True)
            assert type(caught.value) is HttpError
            await desk.ask(b"2")
            assert await desk.ask(b"slow", repeatable=True) == (408, b"idle")

    @pytest.mark.parametrize("said", [TIMED_OUT, TIMED_OUT_AND_OPEN])
    async def test_a_408_on_a_new_connection_is_its_answer_and_the_last_one(self, said: bytes) -> None:
        async with echoing(slow=said) as desk:
            assert await desk.ask(b"slow") == (408, b"idle")
            assert await desk.ask(b"2") == (200, b"2")
            assert len(desk.echo.writers) == 2
