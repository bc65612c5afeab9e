"""POSTs over kept connections, against a server that answers as each test says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from tollgate.kit import http_posts
from tollgate.kit.http_posts import Posts

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
CLOSING = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
CHUNKED = b'HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'
NOTHING = b""
"""The connection is closed in the place of an answer."""


class Server:
    """Gives its answers one after the other, and the last one for ever; `None` is none at all."""

    def __init__(self, answers: Sequence[bytes | None]) -> None:
        self.answers = list(answers)
        self.connections = 0
        self.requests: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while head := await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b"":
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self.requests.append(head + await reader.readexactly(length))
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
        writer.close()


@asynccontextmanager
async def serving(*answers: bytes | None) -> AsyncIterator[tuple[Server, Posts]]:
    ours = Server(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await ours.serve(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            return
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    posts = Posts(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    try:
        yield ours, posts
    finally:
        posts.close()
        listening.close()
        # The ends of connections are seen in the next turns of the loop.
        await asyncio.sleep(0.01)


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def told() -> None:
        await story()

    asyncio.run(told())


class TestPosts:
    def test_one_connection_serves_request_after_request(self) -> None:
        async def story() -> None:
            async with serving(OK) as (server, posts):
                for n in range(3):
                    assert await posts.send("x-n: 1\r\n", str(n).encode()) == (200, b"{}")
                assert server.connections == 1
                expected = f"POST / HTTP/1.1\r\nhost: {posts.host}\r\ncontent-length: 1\r\nx-n: 1\r\n\r\n0"
                assert server.requests[0] == expected.encode()

        run(story)

    def test_requests_at_once_have_connections_of_their_own(self) -> None:
        async def story() -> None:
            async with serving(OK) as (server, posts):
                found = await asyncio.gather(*(posts.send("", b"x") for _ in range(5)))
                assert found == [(200, b"{}")] * 5
                assert server.connections == 5

        run(story)

    def test_an_answer_in_chunks_is_put_together(self) -> None:
        async def story() -> None:
            async with serving(CHUNKED, OK) as (_, posts):
                assert await posts.send("", b"x") == (400, b'{"a":1}')
                assert await posts.send("", b"x") == (200, b"{}")

        run(story)

    @pytest.mark.parametrize("first", [CLOSING, NOTHING])
    def test_a_connection_that_was_closed_is_not_used_again(self, first: bytes) -> None:
        async def story() -> None:
            async with serving(first, OK) as (server, posts):
                if first == NOTHING:
                    with pytest.raises(ConnectionError):
                        await posts.send("", b"x")
                else:
                    await posts.send("", b"x")
                assert await posts.send("", b"x") == (200, b"{}")
                assert server.connections == 2

        run(story)

    def test_one_that_was_idle_for_long_is_not_used_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(http_posts, "KEPT_S", 0.0)

        async def story() -> None:
            async with serving(OK) as (server, posts):
                await posts.send("", b"x")
                await posts.send("", b"x")
                assert server.connections == 2

        run(story)

    def test_no_answer_is_a_timeout_and_what_comes_later_is_nobodys(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http_posts, "TIMEOUT_S", 0.05)

        async def story() -> None:
            async with serving(None, OK) as (server, posts):
                with pytest.raises(TimeoutError):
                    await posts.send("", b"x")
                monkeypatch.setattr(http_posts, "TIMEOUT_S", 5.0)
                assert await posts.send("", b"x") == (200, b"{}")
                assert server.connections == 2

        run(story)

    def test_what_is_not_http_is_said(self) -> None:
        async def story() -> None:
            async with serving(b"SSH-2.0-OpenSSH_9.6 here we are\r\n") as (_, posts):
                with pytest.raises(ConnectionError, match="not HTTP"):
                    await posts.send("", b"x")

        run(story)

    def test_an_answer_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(http_posts, "MAX_ANSWER_BYTES", 1)

        async def story() -> None:
            async with serving(OK) as (_, posts):
                with pytest.raises(ConnectionError, match="too long"):
                    await posts.send("", b"x")

        run(story)
