"""Answers that have no end where they should have one: each is refused after a bounded number of bytes."""

import asyncio
import gzip
import ssl
import zlib
from pathlib import Path

import pytest
import uvloop

from tests.support.hostile_upstream import certificate, listening, serving_tls
from tollgate.kit.http.client import MAX_HEAD_BYTES, HttpClient, header_lines
from tollgate.kit.http.decompression import MAX_MEMBERS
from tollgate.kit.http.response import HttpError

LONG_S = 20.0
MOST = 2**20
"""What the client is ready to read of a body."""
SENT_AT_MOST = 32 * 2**20
"""Far above a bound and all buffers between the two ends."""

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n"
GZIP = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n"

# How an answer begins, and what then comes again and again.
FLOODS = {
    "trailers": (CHUNKED + b"0\r\n", b"x: 0123456789\r\n" * 1000),
    "one trailer": (CHUNKED + b"0\r\nx: ", b"v" * 16_384),
    "the name of a trailer": (CHUNKED + b"0\r\n", b"v" * 16_384),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n" * 1000),
    "one header": (b"HTTP/1.1 200 OK\r\nx: ", b"v" * 16_384),
    "a reason": (b"HTTP/1.1 200 ", b"v" * 16_384),
    "an extension of a chunk": (CHUNKED + b"2;", b"e" * 16_384),
    "zeros of a chunk's size": (CHUNKED, b"0" * 16_384),
    "interim answers": (b"", b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\n" * 1000),
    "empty lines": (b"", b"\r\n" * 10_000),
    "chunks of a byte": (CHUNKED, b"1\r\nx\r\n" * 2000),
    "a body": (b"HTTP/1.1 200 OK\r\n\r\n", bytes(65_536)),
    "members of gzip": (GZIP, gzip.compress(b"") * 500),
    "junk behind gzip": (GZIP + gzip.compress(b"ok"), b"J" * 65_536),
    "gzip of zeros": (GZIP, zlib.compressobj(9, zlib.DEFLATED, 31).compress(bytes(2**26))),
}


class Flood:
    """Sends one flood until its connection is closed, and counts what went out."""

    def __init__(self, begin: bytes, piece: bytes) -> None:
        self.begin, self.piece, self.sent = begin, piece, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(self.begin)
        while self.sent < SENT_AT_MOST:
            writer.write(self.piece)
            await writer.drain()
            self.sent += len(self.piece)


async def whole(http: HttpClient, url: str) -> bytes:
    response = await http.request("GET", url, header_lines({}), timeout_s=LONG_S)
    return await response.read(MOST)


async def flooded(begin: bytes, piece: bytes, tls: ssl.SSLContext | None = None) -> None:
    flood = Flood(begin, piece)
    async with listening(flood.serve, tls) as url:
        http = HttpClient()
        with pytest.raises(HttpError):
            await whole(http, url)
        http.close()
    assert flood.sent < SENT_AT_MOST


class TestFloods:
    @pytest.mark.parametrize("name", FLOODS)
    def test_ends_with_an_error_after_a_bounded_number_of_bytes(self, name: str) -> None:
        asyncio.run(flooded(*FLOODS[name]))

    @pytest.mark.parametrize("name", ["one trailer", "headers", "gzip of zeros"])
    def test_over_tls_on_the_loop_that_ships(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = certificate(tmp_path)
        trusting = ssl.create_default_context(cafile=file)
        monkeypatch.setattr("tollgate.kit.http.client.ssl.create_default_context", lambda: trusting)
        uvloop.run(flooded(*FLOODS[name], serving_tls(file)))


class TestBounds:
    """What comes between two parts of a body is counted from the last part on."""

    async def answered(self, wire: bytes) -> bytes:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for at in range(0, len(wire), 1000):
                writer.write(wire[at : at + 1000])
                await writer.drain()
                await asyncio.sleep(0)

        async with listening(serve) as url:
            http = HttpClient()
            try:
                return await whole(http, url)
            finally:
                http.close()

    def test_many_chunks_with_extensions_are_not_too_much(self) -> None:
        chunk = b"2;%b\r\nok\r\n" % (b"e" * 2000)
        wire = CHUNKED + chunk * (2 * MAX_HEAD_BYTES // 2000) + b"0\r\n\r\n"
        assert asyncio.run(self.answered(wire)) == b"ok" * (2 * MAX_HEAD_BYTES // 2000 + 1)

    @pytest.mark.parametrize("members", [MAX_MEMBERS, MAX_MEMBERS + 1])
    def test_members_of_gzip_are_counted(self, members: int) -> None:
        asking = self.answered(GZIP + gzip.compress(b"ok") * members)
        if members > MAX_MEMBERS:
            with pytest.raises(HttpError, match="too many members"):
                asyncio.run(asking)
        else:
            assert asyncio.run(asking) == b"ok" * members
