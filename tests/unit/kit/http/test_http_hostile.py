"""A hostile upstream: every answer is read as httpx reads it, or refused, and the next answer is right.

Each case goes out whole, in pieces and byte by byte, plain and over TLS. After it the same client asks for
something else, and must get exactly that.
"""

import asyncio
import gzip
import ssl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvloop

from tests.support.hostile_upstream import Answer, Delivery, Upstream, certificate, serving_tls, upstream
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError

LONG_S = 60.0
"""Far above the time of any answer here, also on a busy machine that makes all connections at once."""

Outcome = tuple[int | None, bytes]
"""The status and the body; `None` and what came before the error if the answer is refused."""


def read(body: bytes = b"ok", status: int = 200) -> Outcome:
    return status, body


def refused(before: bytes = b"") -> Outcome:
    return None, before


@dataclass(frozen=True, slots=True)
class Case:
    """The bytes of an answer and what comes of them.

    `httpx` is what httpx makes of them, if that differs; a comment above says why ours is right.
    `is_damaged`: what was whole in the piece with the damage may be lost with it.
    """

    wire: bytes
    outcome: Outcome
    closes: bool = False
    httpx: Outcome | None = None
    is_damaged: bool = False


def ok(head: str, body: bytes = b"ok", status: str = "HTTP/1.1 200 OK") -> bytes:
    lines = "".join(f"{line}\r\n" for line in head.splitlines())
    return f"{status}\r\n{lines}\r\n".encode("latin-1") + body


def chunked(body: bytes, head: str = "") -> bytes:
    return ok(f"transfer-encoding: chunked\n{head}", body)


LENGTH = "content-length: 2"
END = b"2\r\nok\r\n0\r\n\r\n"
WORDS = b"words " * 50
PACKED = gzip.compress(WORDS, mtime=0)
LENGTH_OF_PACKED = f"content-encoding: gzip\ncontent-length: {len(PACKED)}"

STATUS_LINES = {
    "garbage": Case(b"\0\1\2garbage\r\n\r\n", refused(), closes=True),
    "http-0.9": Case(b"<html>hello</html>\r\n\r\n", refused(), closes=True),
    "ssh": Case(b"SSH-2.0-OpenSSH_9.6 here we are\r\n", refused(), closes=True),
    "http-1.0": Case(b"HTTP/1.0 200 OK\r\n\r\nbody", read(b"body"), closes=True),
    "http-1.0-kept": Case(ok(f"connection: keep-alive\n{LENGTH}", status="HTTP/1.0 200 OK"), read()),
    # There is no such version.
    "http-1.2": Case(ok(LENGTH, status="HTTP/1.2 200 OK"), refused(), httpx=read()),
    "http-2.0": Case(ok(LENGTH, status="HTTP/2.0 200 OK"), read()),
    "status-negative": Case(ok(LENGTH, status="HTTP/1.1 -200 OK"), refused()),
    "status-099": Case(ok(LENGTH, status="HTTP/1.1 099 OK"), refused()),
    "status-999": Case(ok(LENGTH, status="HTTP/1.1 999 OK"), read(status=999)),
    "status-2000": Case(ok(LENGTH, status="HTTP/1.1 2000 OK"), refused()),
    "status-20x": Case(ok(LENGTH, status="HTTP/1.1 20x OK"), refused()),
    "no-reason": Case(ok(LENGTH, status="HTTP/1.1 200"), read()),
    "empty-reason": Case(ok(LENGTH, status="HTTP/1.1 200 "), read()),
    "nothing": Case(b"", refused(), closes=True),
    # The rest of an answer before, of a server that sends one line too many; on a new connection harmless.
    "empty-line-first": Case(b"\r\n" + ok(LENGTH), read(), httpx=refused()),
    "cut-in-status": Case(b"HTTP/1.1 20", refused(), closes=True),
    "cut-in-head": Case(b"HTTP/1.1 200 OK\r\ncontent-le", refused(), closes=True),
}

HEADERS = {
    # Readers that disagree about the end of a line disagree about the end of an answer.
    "lf-only": Case(b"HTTP/1.1 200 OK\ncontent-length: 2\n\nok", refused(), httpx=read()),
    "cr-only": Case(b"HTTP/1.1 200 OK\rcontent-length: 2\r\rok", refused(), closes=True),
    "nul": Case(ok(f"x: a\0b\n{LENGTH}"), refused()),
    "no-colon": Case(ok(f"xyz\n{LENGTH}"), refused()),
    "space-first": Case(ok(f" x: 1\n{LENGTH}"), refused()),
    "space-before-colon": Case(ok("content-length : 2"), refused()),
    # RFC 9112, 5.2: obsolete.
    "folded": Case(ok(f"x: a\n b\n{LENGTH}"), refused(), httpx=read()),
    "latin-1": Case(ok(f"x: \xe9\n{LENGTH}"), read()),
    "empty-name": Case(ok(f": x\n{LENGTH}"), refused()),
    "redirect": Case(
        ok("location: http://169.254.169.254/\ncontent-length: 0", b"", "HTTP/1.1 301 M"), read(b"", 301)
    ),
}

LENGTHS = {
    "negative": Case(ok("content-length: -1"), refused()),
    "plus": Case(ok("content-length: +2"), refused()),
    "hex": Case(ok("content-length: 0x2"), refused()),
    "huge": Case(ok("content-length: 99999999999999999999999"), refused()),
    "digits": Case(ok("content-length: " + "9" * 5000), refused()),
    # RFC 9112, 6.3, lets a client take or refuse a length that is said twice.
    "twice-the-same": Case(ok(f"{LENGTH}\n{LENGTH}"), refused(), httpx=read()),
    "twice": Case(ok(f"{LENGTH}\ncontent-length: 5", b"ok567"), refused()),
    "list": Case(ok("content-length: 2, 2"), refused(), httpx=read()),
    "list-differs": Case(ok("content-length: 2, 5", b"ok567"), refused()),
    "nul-in-length": Case(ok("content-length: 2\0"), refused()),
    "empty": Case(ok("content-length:"), refused()),
    "arabic-digits": Case(b"HTTP/1.1 200 OK\r\ncontent-length: \xd9\xa2\r\n\r\nok", refused()),
    "padded": Case(ok("content-length: \t2\t "), read()),
    "leading-zeros": Case(ok("content-length: 000002"), read()),
    "zero": Case(ok("content-length: 0", b""), read(b"")),
    "short": Case(ok("content-length: 20", b"hello"), refused(b"hello"), closes=True),
    "until-close": Case(ok("x: y", b"hello"), read(b"hello"), closes=True),
    "204-with-length": Case(ok("content-length: 5", b"", "HTTP/1.1 204 No"), read(b"", 204)),
    "304-with-length": Case(ok("content-length: 5", b"", "HTTP/1.1 304 No"), read(b"", 304)),
}

CODINGS = {
    # RFC 9112, 6.3: it ought to be handled as an error.
    "chunked-and-length": Case(chunked(END, LENGTH), refused(), httpx=read()),
    "length-and-chunked": Case(ok(f"{LENGTH}\ntransfer-encoding: chunked", END), refused(), httpx=read()),
    "xchunked": Case(ok("transfer-encoding: xchunked", END), refused(), closes=True),
    "chunked-twice": Case(ok("transfer-encoding: chunked, chunked", END), refused(), closes=True),
    "chunked-identity": Case(ok("transfer-encoding: chunked, identity", END), refused(), closes=True),
    "identity": Case(ok("transfer-encoding: identity", b"hello"), refused(), closes=True),
    "vertical-tab": Case(ok("transfer-encoding: \x0bchunked", END), refused(), closes=True),
    "gzip-chunked": Case(ok("transfer-encoding: gzip, chunked", END), refused(), closes=True),
    "gzip-to-close": Case(ok("transfer-encoding: gzip", b"ok"), refused(), closes=True),
}

CHUNKS = {
    "plain": Case(chunked(END), read()),
    "upper-case": Case(chunked(b"A\r\n0123456789\r\n0\r\n\r\n"), read(b"0123456789")),
    "zeros": Case(chunked(b"0002\r\nok\r\n000\r\n\r\n"), read()),
    # httpx has numbers of any size.
    "overflow": Case(chunked(b"FFFFFFFFFFFFFFFFF\r\nhello"), refused(), closes=True, httpx=refused(b"hello")),
    "negative-size": Case(chunked(b"-2\r\nok\r\n0\r\n\r\n"), refused()),
    "0x-size": Case(chunked(b"0x2\r\nok\r\n0\r\n\r\n"), refused()),
    "no-size": Case(chunked(b"\r\nok\r\n0\r\n\r\n"), refused()),
    # RFC 9112, 7.1.1: a space may only stand before an extension.
    "space-size": Case(chunked(b"2 \r\nok\r\n0\r\n\r\n"), refused(), httpx=read()),
    "extension": Case(chunked(b'2;a=b;c="\\"x"\r\nok\r\n0\r\n\r\n'), read()),
    "extension-lf": Case(chunked(b"2;a\nok\r\n0\r\n\r\n"), refused()),
    "size-lf": Case(chunked(b"2\nok\r\n0\r\n\r\n"), refused()),
    "too-long": Case(chunked(b"2\r\nokXX0\r\n\r\n"), refused(b"ok")),
    "cut-in-chunk": Case(chunked(b"50\r\nhello"), refused(b"hello"), closes=True),
    "cut-after-chunk": Case(chunked(b"5\r\nhello\r\n"), refused(b"hello"), closes=True),
    "cut-before-end": Case(chunked(b"5\r\nhello\r\n0\r\n"), refused(b"hello"), closes=True),
    "trailers": Case(chunked(b"2\r\nok\r\n0\r\nx: 1\r\ncontent-encoding: gzip\r\n\r\n"), read()),
    # RFC 9110, 6.5.1: framing must not stand in a trailer.
    "length-in-trailer": Case(
        chunked(b"2\r\nok\r\n0\r\ncontent-length: 7\r\n\r\n"), refused(b"ok"), httpx=read()
    ),
    "trailer-without-colon": Case(chunked(b"2\r\nok\r\n0\r\nxyz\r\n\r\n"), refused(b"ok")),
}

INTERIM = {
    "100": Case(ok("", b"", "HTTP/1.1 100 Continue") + ok(LENGTH), read()),
    "103s": Case(ok("link: </x>", b"", "HTTP/1.1 103 Early") * 3 + ok(LENGTH), read()),
    "100-with-length": Case(
        ok("content-length: 0", b"", "HTTP/1.1 100 C") + ok("", b"hello"), read(b"hello"), closes=True
    ),
    "100-only": Case(ok("", b"", "HTTP/1.1 100 Continue"), refused(), closes=True),
    "101": Case(ok("upgrade: h2c\nconnection: upgrade", b"", "HTTP/1.1 101 Switching"), refused()),
    "101-bare": Case(ok("", b"", "HTTP/1.1 101 Switching"), refused()),
    "101-and-200": Case(
        ok("upgrade: h2c\nconnection: upgrade", b"", "HTTP/1.1 101 S") + ok(LENGTH), refused()
    ),
    "200-upgrade": Case(ok(f"upgrade: h2c\nconnection: upgrade\n{LENGTH}"), read()),
}

PACKINGS = {
    "gzip": Case(ok(LENGTH_OF_PACKED, PACKED), read(WORDS)),
    # RFC 9110, 8.4.1.3: the same as gzip.
    "x-gzip": Case(ok(LENGTH_OF_PACKED.replace("gzip", "x-gzip"), PACKED), read(WORDS), httpx=read(PACKED)),
    "deflate": Case(ok("content-encoding: deflate", zlib.compress(b"words")), read(b"words"), closes=True),
    "identity-packing": Case(ok(f"content-encoding: identity\n{LENGTH}"), read()),
    "gzip-empty": Case(ok("content-encoding: gzip\ncontent-length: 0", b""), read(b"")),
    "gzip-lie": Case(ok(f"content-encoding: gzip\n{LENGTH}"), refused()),
    # A body that breaks off is not whole, whatever it is packed in. httpx takes it for whole.
    "gzip-cut": Case(
        ok("content-encoding: gzip\ncontent-length: 15", PACKED[:15]), refused(b"word"), httpx=read(b"word")
    ),
    "gzip-cut-by-close": Case(
        ok("content-encoding: gzip", PACKED[:-8]), refused(WORDS), closes=True, httpx=read(WORDS)
    ),
    "gzip-damaged": Case(
        ok(LENGTH_OF_PACKED, PACKED[:-8] + bytes(8)), refused(WORDS), httpx=refused(), is_damaged=True
    ),
    # RFC 1952, 2.2: members stand one after the other. httpx drops all but the first.
    "two-members": Case(
        ok("content-encoding: gzip", PACKED + PACKED), read(WORDS * 2), closes=True, httpx=read(WORDS)
    ),
    "gzip-and-surplus": Case(
        ok("content-encoding: gzip", PACKED + b"junk"), refused(WORDS), closes=True, httpx=read(WORDS)
    ),
    # Nothing was asked for, so nothing but the one usual packing is understood.
    "gzip-twice": Case(
        ok("content-encoding: gzip, gzip", gzip.compress(PACKED)), refused(), closes=True, httpx=read(WORDS)
    ),
    "gzip-in-two-lines": Case(
        ok("content-encoding: gzip\ncontent-encoding: gzip", gzip.compress(PACKED)),
        refused(),
        closes=True,
        httpx=read(WORDS),
    ),
    # httpx hands on what it cannot unpack.
    "br": Case(ok(f"content-encoding: br\n{LENGTH}"), refused(), httpx=read()),
}

SURPLUS = {
    "letters": Case(ok(LENGTH, b"okEXTRA"), read()),
    "line": Case(ok(LENGTH, b"ok\r\n"), read()),
    "answer": Case(ok(LENGTH) + ok("content-length: 6", b"POISON"), read()),
    "half-an-answer": Case(ok(LENGTH) + b"HTTP/1.1 200 OK\r\ncontent-", read()),
    "one-byte": Case(ok(LENGTH) + b"H", read()),
    "interim": Case(ok(LENGTH) + ok("", b"", "HTTP/1.1 100 Continue"), read()),
    "408": Case(ok(LENGTH) + ok("content-length: 0\nconnection: close", b"", "HTTP/1.1 408 T"), read()),
    "after-chunks": Case(chunked(END) + ok("content-length: 6", b"POISON"), read()),
    "after-204": Case(ok("content-length: 6", b"POISON", "HTTP/1.1 204 No"), read(b"", 204)),
    "after-304": Case(ok("content-length: 6", b"POISON", "HTTP/1.1 304 No"), read(b"", 304)),
    "after-empty": Case(ok("content-length: 0", ok("content-length: 6", b"POISON")), read(b"")),
    "after-close": Case(ok(f"connection: close\n{LENGTH}") + ok("content-length: 6", b"POISON"), read()),
}

TABLES = {
    "status-line": STATUS_LINES,
    "header": HEADERS,
    "length": LENGTHS,
    "coding": CODINGS,
    "chunk": CHUNKS,
    "interim": INTERIM,
    "packing": PACKINGS,
    "surplus": SURPLUS,
}
CASES = {f"{table}-{name}": case for table, cases in TABLES.items() for name, case in cases.items()}
ANSWERS = {name: Answer(case.wire, case.closes) for name, case in CASES.items()}


@contextmanager
def quiet_loop() -> Iterator[None]:
    """Fail if anything reaches the loop's exception handler, which would write it into the log."""
    said: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
    yield
    assert said == []


async def ours(running: Upstream, name: str, delivery: Delivery) -> Outcome:
    """Ask for an answer, and then for something else by the same client."""
    http, lines = HttpClient(), header_lines({})
    waits: Any = {"timeout_s": LONG_S, "connect_timeout_s": LONG_S}
    got = b""
    try:
        url = running.address(name, delivery)
        response = await http.request("POST", url, lines, b"x", **waits)
        while piece := await response.readany():
            got += piece
        outcome = read(got, response.status)
    except HttpError as exc:
        # An answer that did not come was not refused. After a connection that was not made, none is written.
        if isinstance(exc, TimeoutError):
            raise
        outcome = refused(got)
    # What is left of the answer lies in the socket now, and nothing of it may be the next one.
    await running.is_written(name, delivery)
    following = await http.request("POST", f"{running.url}/next/word", lines, b"x", **waits)
    assert (following.status, await following.read(100)) == (200, b"word"), name
    http.close()
    return outcome


async def theirs(client: httpx.AsyncClient, url: str) -> Outcome:
    got = b""
    try:
        async with client.stream("POST", url, content=b"x") as response:
            async for piece in response.aiter_bytes():
                got += piece
            return read(got, response.status_code)
    except httpx.HTTPError:
        return refused(got)


def expected(outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
    """Return what is expected; where damage may take something with it, what there is of it."""
    wanted = {name: case.outcome for name, case in CASES.items()}
    for name, (status, before) in outcomes.items():
        if CASES[name].is_damaged and status is None and wanted[name][1].startswith(before):
            wanted[name] = refused(before)
    return wanted


class TestAnswers:
    @pytest.mark.parametrize("delivery", Delivery)
    def test_it_is_read_or_refused_and_the_next_answer_is_right(self, delivery: Delivery) -> None:
        outcomes = asyncio.run(self.asked(delivery))
        assert outcomes == expected(outcomes)

    @pytest.mark.parametrize("delivery", Delivery)
    def test_the_same_over_tls_on_the_loop_that_ships(
        self, delivery: Delivery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = certificate(tmp_path)
        trusting = ssl.create_default_context(cafile=file)
        monkeypatch.setattr("tollgate.kit.http.client.ssl.create_default_context", lambda: trusting)
        outcomes = uvloop.run(self.asked(delivery, serving_tls(file)))
        assert outcomes == expected(outcomes)

    def test_httpx_reads_them_alike(self) -> None:
        outcomes = asyncio.run(self.asked_by_httpx())
        assert outcomes == {name: case.httpx or case.outcome for name, case in CASES.items()}

    async def asked(self, delivery: Delivery, tls: ssl.SSLContext | None = None) -> dict[str, Outcome]:
        with quiet_loop():
            async with upstream(ANSWERS, tls) as running:
                found = await asyncio.gather(*(ours(running, name, delivery) for name in CASES))
        return dict(zip(CASES, found, strict=True))

    async def asked_by_httpx(self) -> dict[str, Outcome]:
        alone = httpx.Limits(max_keepalive_connections=0)
        async with (
            upstream(ANSWERS) as running,
            httpx.AsyncClient(limits=alone, timeout=LONG_S, trust_env=False) as client,
        ):
            urls = [running.address(name, Delivery.WHOLE) for name in CASES]
            found = await asyncio.gather(*(theirs(client, url) for url in urls))
        return dict(zip(CASES, found, strict=True))
