"""Requests over kept connections, against a server that answers as each test says."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.support.hostile_upstream import certificate, listening, serving_tls
from tollgate.kit.http import client as http_client
from tollgate.kit.http.client import HttpClient, header_lines, split_url
from tollgate.kit.http.response import ConnectTimeoutError, HttpError, Response

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
CLOSING = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
CHUNKED = b'HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'
NOTHING = b""
"""The connection is closed in the place of an answer."""
LONG_S = 10.0
"""Far above what any answer here takes."""
MAX_TURNS = 20
"""Of the loop, until it has read what lies in a socket."""


class Server:
    """Gives its answers one after the other, and the last one for ever; `None` is none at all.

    After an answer without a length it closes the connection, as that is its end.
    """

    def __init__(self, answers: Sequence[bytes | None]) -> None:
        self.answers = list(answers)
        self.connections = 0
        self.requests: list[bytes] = []
        self.asked = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while head := await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b"":
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            self.requests.append(head + await reader.readexactly(length))
            self.asked.set()
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if answer is None:
                await asyncio.sleep(60)
            elif answer == NOTHING:
                break
            else:
                # In two pieces, as a network may.
                writer.write(answer[:20])
                await writer.drain()
                writer.write(answer[20:])
                if b"content-length" not in answer and b"chunked" not in answer:
                    break
        writer.close()


class Nowhere(asyncio.Transport):
    """A connection on which nothing goes out."""

    def write(self, data: object) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, name: str, default: object = None) -> object:
        # A socket that is never readable.
        return 0

    def abort(self) -> None:
        pass

    def close(self) -> None:
        pass


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """Return an answer, most of them whole and plain, the others wrong in one way or another."""
    names = ["content-length", "Content-Length", "connection", "Connection", "transfer-encoding", "upgrade"]
    name = st.sampled_from([*names, "content-encoding", "x-y", "x-é", "x y", "", "content-length-x"])
    said = ["keep-alive", "Keep-Alive", "keep-alive, x", "close", "chunked", "identity", "h2c", "é", "\0"]
    counts = ["2", " 2", "2 ", "02", "+2", "99999999999"]
    value = st.sampled_from([*said, *counts, "", " x\t", "x\r\n folded", "x\ny"])
    lines = draw(st.lists(st.tuples(name, value), max_size=3))
    body = draw(st.binary(max_size=30))
    length = draw(st.sampled_from([len(body), len(body), len(body), len(body) + 1, max(0, len(body) - 1)]))
    lines.insert(draw(st.integers(0, len(lines))), (draw(st.sampled_from(names[:2])), str(length)))
    colon = draw(st.sampled_from([":", ": ", ":  ", ":\t"]))
    statuses = ["200 OK", "200", "204 No", "304 Not", "500 x", "404 é", "100 C", "2000 OK"]
    status = draw(st.sampled_from(statuses))
    version = draw(st.sampled_from(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1"]))
    head = "".join(f"{name}{colon}{value}\r\n" for name, value in lines)
    return f"{version} {status}\r\n{head}\r\n".encode("latin-1") + body


@asynccontextmanager
async def serving(
    *answers: bytes | None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Server, Callable[..., Awaitable[Response]]]]:
    """Serve; give the server, and what asks it for `/x?y=1`."""
    ours = Server(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await ours.serve(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            return
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    http = HttpClient()
    port = listening.sockets[0].getsockname()[1]
    url = f"{'https://localhost' if tls else 'http://127.0.0.1'}:{port}/x?y=1"

    async def ask(body: bytes = b"x", timeout_s: float = LONG_S, idle_s: float | None = None) -> Response:
        lines = header_lines({"x-n": "1"})
        return await http.request("POST", url, lines, body, timeout_s=timeout_s, idle_timeout_s=idle_s)

    try:
        yield ours, ask
    finally:
        http.close()
        listening.close()
        # The ends of connections are seen in the next turns of the loop.
        await asyncio.sleep(0.01)


async def whole(asking: Awaitable[Response]) -> tuple[int, bytes]:
    response = await asking
    return response.status, await response.read(1_000_000)


async def read_50(asking: Awaitable[Response]) -> bytes:
    return await (await asking).read(50)


class TestConnections:
    async def test_one_connection_serves_request_after_request(self) -> None:
        async with serving(OK) as (server, ask):
            for n in range(3):
                assert await whole(ask(str(n).encode())) == (200, b"{}")
            assert server.connections == 1
            head, _, body = server.requests[0].partition(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            assert (first, body) == ("POST /x?y=1 HTTP/1.1", b"0")
            assert {"x-n:1", "content-length:1", "accept-encoding:identity"} < set(lines)
            assert lines[0].startswith("host:127.0.0.1:")

    async def test_requests_at_once_have_connections_of_their_own(self) -> None:
        async with serving(OK) as (server, ask):
            found = await asyncio.gather(*(whole(ask()) for _ in range(5)))
            assert found == [(200, b"{}")] * 5
            assert server.connections == 5

    async def test_a_connection_that_the_other_end_closes_is_not_used_again(self) -> None:
        async with serving(CLOSING, OK) as (server, ask):
            assert await whole(ask()) == (200, b"{}")
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 2

    async def test_one_that_is_reset_under_a_repeatable_request_is_no_failure(self) -> None:
        asked: list[bytes] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            if len(asked) == 2:
                # Closed with something unread, or at once, it is a reset and no end.
                reset = writer.get_extra_info("socket")
                reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                return
            writer.write(OK)
            if len(asked) == 1:
                await serve(reader, writer)
            writer.close()

        async with listening(serve) as url:
            http = HttpClient()
            for _ in range(2):
                asking = http.request("GET", url, "", timeout_s=LONG_S, repeatable=True)
                assert await whole(asking) == (200, b"{}")
            assert len(asked) == 3
            http.close()

    async def test_one_that_was_idle_for_long_is_not_used_again(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http_client, "KEEP_ALIVE_S", -1.0)
        async with serving(OK) as (server, ask):
            await whole(ask())
            await whole(ask())
            assert server.connections == 2

    async def test_what_is_left_of_an_answer_is_nobody_elses(self) -> None:
        async with serving(CHUNKED[:-5], OK) as (server, ask):
            left = await ask()
            assert await left.readany()
            left.close()
            with pytest.raises(HttpError, match="closed"):
                await left.readany()
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 2

    async def test_what_nobody_asked_for_is_not_the_answer_to_the_next_request(self) -> None:
        async with serving(OK + OK.replace(b"{}", b"[]"), OK) as (server, ask):
            assert await whole(ask()) == (200, b"{}")
            await asyncio.sleep(0.05)
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 2

    @pytest.mark.parametrize("status", [b"413 Too Large", b"200 OK"])
    async def test_one_whose_request_was_answered_early_is_not_used_again(self, status: bytes) -> None:
        connections = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            if b"content-length:1\r\n" in await reader.readuntil(b"\r\n\r\n"):
                writer.write(OK)
            else:
                # The rest is never read.
                writer.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 2\r\n\r\n{}")
            await asyncio.sleep(60)

        async with listening(serve) as url:
            http = HttpClient()
            early = await whole(http.request("POST", url, "", bytes(16 * 2**20), timeout_s=LONG_S))
            assert early == (int(status[:3]), b"{}")
            assert await whole(http.request("POST", url, "", b"x", timeout_s=LONG_S)) == (200, b"{}")
            assert connections == 2
            http.close()

    async def test_one_whose_large_request_was_read_is_used_again(self) -> None:
        async with serving(OK) as (server, ask):
            for _ in range(2):
                assert await whole(ask(bytes(2**20))) == (200, b"{}")
            assert server.connections == 1

    async def test_nobody_there(self) -> None:
        with pytest.raises(HttpError, match="not connected"):
            await HttpClient().request("GET", "http://127.0.0.1:1/", "", timeout_s=LONG_S)

    async def test_a_connection_that_is_not_taken_is_told_from_an_answer_that_does_not_come(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def never(*_: object) -> socket.socket:
            await asyncio.sleep(60)
            raise AssertionError

        monkeypatch.setattr(http_client, "connect", never)
        http, url = HttpClient(), "http://127.0.0.1:1/"
        with pytest.raises(ConnectTimeoutError):
            await http.request("GET", url, "", timeout_s=LONG_S, connect_timeout_s=0.01)


class TestTime:
    async def test_no_answer_is_a_timeout_and_what_comes_later_is_nobodys(self) -> None:
        async with serving(None, OK) as (server, ask):
            with pytest.raises(TimeoutError):
                await ask(timeout_s=0.5)
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 2

    @pytest.mark.parametrize(("timeout_s", "idle_s"), [(1.0, None), (LONG_S, 0.5)])
    async def test_a_body_that_stops_is_a_timeout(self, timeout_s: float, idle_s: float | None) -> None:
        async with serving(OK[:-1].replace(b": 2", b": 9")) as (_, ask):
            response = await ask(timeout_s=timeout_s, idle_s=idle_s)
            with pytest.raises(TimeoutError):
                await response.read(10)

    async def test_one_that_drips_is_not_silent(self) -> None:
        async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(6):
                writer.write(b".")
                await asyncio.sleep(0.25)
            writer.close()

        async with listening(drip) as url:
            asking = HttpClient().request("GET", url, "", timeout_s=LONG_S, idle_timeout_s=1.0)
            assert await whole(asking) == (200, b"......")

    async def test_one_that_asks_and_is_cancelled_leaves_nothing_behind(self) -> None:
        async with serving(None, OK) as (server, ask):
            asking = asyncio.ensure_future(ask())
            await server.asked.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 2


class TestTls:
    async def test_a_certificate_that_is_trusted_is_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = certificate(tmp_path)
        trusting = ssl.create_default_context(cafile=file)
        monkeypatch.setattr("tollgate.kit.http.client.ssl.create_default_context", lambda: trusting)
        await self.asked(file)

    async def test_one_of_a_stranger_is_not(self, tmp_path: Path) -> None:
        with pytest.raises(HttpError, match="CERTIFICATE_VERIFY_FAILED"):
            await self.asked(certificate(tmp_path))

    async def asked(self, file: Path) -> None:
        async with serving(OK, tls=serving_tls(file)) as (_, ask):
            assert await whole(ask()) == (200, b"{}")


class TestRequestLines:
    @pytest.mark.parametrize("value", ["a\r\nx-admin: 1", "a\nb", "a\rb", "a\0b", "a\x7fb", "a\x85b", "a\tb"])
    def test_a_header_has_one_line_without_control_characters(self, value: str) -> None:
        with pytest.raises(ValueError, match="control character"):
            header_lines({"x": value})

    @pytest.mark.parametrize("name", ["", "a b", "a:b", "a\r\nb", "a\0", "\xe9", "a,b"])
    def test_a_headers_name_is_a_token(self, name: str) -> None:
        with pytest.raises(ValueError, match="token"):
            header_lines({"x": "y", name: "z"})

    @pytest.mark.parametrize(
        ("url", "reason"),
        [
            ("https://user:secret@api.example/x", "user name"),
            ("https://user@api.example/x", "user name"),
            ("ftp://api.example/x", "http://"),
            ("api.example/x", "http://"),
            ("https:///x", "http://"),
            ("https://api.example/a b", "ASCII"),
            ("https://api.example/a\r\nx-admin: 1", "ASCII"),
            ("https://api.example/\0", "ASCII"),
            ("https://\xe9.example/", "ASCII"),
        ],
    )
    def test_a_url_that_would_not_go_out_as_it_stands_is_refused(self, url: str, reason: str) -> None:
        with pytest.raises(ValueError, match=reason):
            split_url(url)

    def test_a_url_goes_out_as_it_stands(self) -> None:
        origin, target = split_url("https://bedrock.example/model/a%3A0/converse?x=%20")
        assert (origin.host, origin.address, origin.port, origin.is_tls) == (
            "bedrock.example",
            "bedrock.example",
            443,
            True,
        )
        assert target == "/model/a%3A0/converse?x=%20"
        assert split_url("http://127.0.0.1:8080")[1] == "/"
