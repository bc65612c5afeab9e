"""Bodies of responses, from a server that answers as each test says."""

import asyncio
import zlib
from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile_upstream import Answer, Delivery, listening, upstream
from tests.unit.kit.http.test_http_client import (
    CHUNKED,
    LONG_S,
    MAX_TURNS,
    OK,
    Nowhere,
    answers,
    read_50,
    serving,
    whole,
)
from tollgate.kit.http import client as http_client
from tollgate.kit.http import response as http_response
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import HttpError

pytestmark = pytest.mark.anyio


class TestBodies:
    async def test_chunks_are_put_together(self) -> None:
        async with serving(CHUNKED, OK) as (server, ask):
            assert await whole(ask()) == (400, b'{"a":1}')
            assert await whole(ask()) == (200, b"{}")
            assert server.connections == 1

    async def test_one_without_a_length_ends_with_its_connection(self) -> None:
        async with serving(b"HTTP/1.1 200 OK\r\n\r\nall of it") as (_, ask):
            assert await whole(ask()) == (200, b"all of it")

    async def test_one_that_breaks_off_gives_all_that_had_come_first(self) -> None:
        # The reader is slow: all of it has come, and the connection has gone, before the first byte is read.
        body = b"x" * 100_000
        begun = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n30d40\r\n" + body
        async with upstream({"begun": Answer(begun, closes=True)}) as running:
            url = running.address("begun", Delivery.PIECES)
            response = await HttpClient().request("POST", url, "", b"x", timeout_s=LONG_S)
            await running.is_written("begun", Delivery.PIECES)
            # The rest is read, and then the end.
            for _ in range(MAX_TURNS):
                await asyncio.sleep(0)
            assert response._connection is None
            assert await response.readany() == body
            with pytest.raises(HttpError, match="closed"):
                await response.readany()

    async def test_one_that_its_reader_closes_gives_no_more(self) -> None:
        async with serving(CHUNKED[:-5]) as (_, ask):
            left = await ask()
            left.close()
            with pytest.raises(HttpError, match="closed"):
                await left.readany()

    async def test_the_answer_to_head_has_none(self) -> None:
        described = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 10\r\n\r\n"
        answers = {
            "head": Answer(described),
            "chunked": Answer(described.replace(b"content-length: 10", b"transfer-encoding: chunked")),
        }
        async with upstream(answers) as running:
            http = HttpClient()
            for name in answers:
                url = running.address(name, Delivery.WHOLE)
                assert await whole(http.request("HEAD", url, "", timeout_s=LONG_S)) == (200, b"")
            assert await whole(http.request("GET", f"{running.url}/next/x", "", timeout_s=LONG_S)) == (
                200,
                b"x",
            )
            http.close()

    @pytest.mark.parametrize("cut", [CHUNKED[:-5], OK[:-1]])
    async def test_one_that_breaks_off_is_an_error(self, cut: bytes) -> None:
        async def answer_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(cut)
            writer.close()

        async with listening(answer_and_close) as url:
            with pytest.raises(HttpError, match="closed"):
                await whole(HttpClient().request("GET", url, "", timeout_s=LONG_S))

    async def test_a_hundred_continue_is_no_answer(self) -> None:
        early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"
        async with serving(b"HTTP/1.1 100 Continue\r\n\r\n" + early + OK) as (_, ask):
            response = await ask()
            assert (response.status, response.headers) == (200, {"content-length": "2"})
            assert await response.read(10) == b"{}"

    @pytest.mark.parametrize("wbits", [zlib.MAX_WBITS, zlib.MAX_WBITS | 16])
    async def test_one_that_is_compressed_unasked_is_unpacked(self, wbits: int) -> None:
        packer = zlib.compressobj(wbits=wbits)
        packed = packer.compress(b"words " * 100) + packer.flush()
        head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(packed)}\r\n\r\n"
        async with serving(head.encode() + packed, OK) as (_, ask):
            assert await whole(ask()) == (200, b"words " * 100)
            assert await whole(ask()) == (200, b"{}")

    async def test_one_that_unpacks_to_too_much_is_not_unpacked(self) -> None:
        packed = zlib.compress(bytes(64 * 2**20))
        head = f"HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\ncontent-length: {len(packed)}\r\n\r\n"
        async with serving(head.encode() + packed) as (_, ask):
            with pytest.raises(HttpError, match="too much"):
                await whole(ask())

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (b"SSH-2.0-OpenSSH_9.6 here we are\r\n", "not HTTP"),
            (b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 4\r\n\r\nabcd", "unpacked"),
            (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 2 * http_client.MAX_HEAD_BYTES, "headers are too long"),
            (OK.replace(b"2\r\n\r\n{}", b"99\r\n\r\n" + b"x" * 99), "too long"),
        ],
    )
    async def test_what_cannot_be_read_is_said(self, answer: bytes, reason: str) -> None:
        async with serving(answer) as (_, ask):
            with pytest.raises(HttpError, match=reason):
                await read_50(ask())

    @given(st.lists(st.binary(min_size=1, max_size=2000), min_size=1, max_size=8), st.integers(1, 700))
    async def test_nothing_of_a_body_is_lost_wherever_it_is_cut(self, parts: list[bytes], step: int) -> None:
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
        wire = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
        connection = http_client._Connection(deque())
        response = connection.send(b"", LONG_S, None)
        for at in range(0, len(wire), step):
            connection.data_received(wire[at : at + step])
        assert await response.read(100_000) == b"".join(parts)

    @given(answers(), st.lists(st.integers(1, 200), max_size=4))
    async def test_an_answer_in_one_piece_is_read_as_one_in_several(
        self, wire: bytes, cuts: list[int]
    ) -> None:
        async def read(pieces: list[bytes]) -> tuple[object, ...]:
            kept: deque[http_client._Connection] = deque()
            connection = http_client._Connection(kept)
            connection.connection_made(Nowhere())
            response = connection.send(b"", LONG_S, None)
            for piece in pieces:
                connection.data_received(piece)
            connection.connection_lost(None)
            try:
                await response.begin()
                return response.status, response.headers, await response.read(1000), len(kept)
            except HttpError as exc:
                return (type(exc), str(exc).partition(":")[0])

        at = sorted({0, *(cut for cut in cuts if cut < len(wire)), len(wire)})
        pieces = [wire[start:end] for start, end in pairwise(at)]
        # The first byte alone: what comes in one piece is read in another way.
        assert await read([wire]) == await read(pieces) == await read([wire[:1], wire[1:]])

    async def test_a_reader_that_is_slow_holds_the_sender_back(self) -> None:
        sent = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal sent
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            for _ in range(400):
                writer.write(bytes(64 * 1024))
                await writer.drain()
                sent += 64 * 1024
            writer.close()

        async with listening(serve) as url:
            response = await HttpClient().request("GET", url, "", timeout_s=LONG_S, idle_timeout_s=1.0)
            # Longer than the other end may be silent: it is us who do not listen.
            await asyncio.sleep(1.2)
            assert sent < 16 * 2**20
            assert response._unread < 4 * http_response.MAX_UNREAD_BYTES
            read = 0
            while piece := await response.readany():
                read += len(piece)
            assert read == 400 * 64 * 1024
