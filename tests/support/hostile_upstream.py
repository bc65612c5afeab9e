"""An upstream that answers with any bytes: whole, in pieces or byte by byte, and over TLS too."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

MAX_PIECES = 200
"""A long answer goes out in larger pieces, so that a case takes a bounded time."""
MAX_WAIT_S = 60.0
"""Far above the time of any answer."""


class Delivery(StrEnum):
    """How the bytes of an answer are cut."""

    WHOLE = "whole"
    PIECES = "pieces"
    BYTES = "bytes"

    def cut(self, wire: bytes) -> list[bytes]:
        """Return `wire` in pieces."""
        steps = {Delivery.WHOLE: len(wire), Delivery.PIECES: 23, Delivery.BYTES: 1}
        step = max(steps[self], len(wire) // MAX_PIECES, 1)
        return [wire[at : at + step] for at in range(0, len(wire), step)]


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of an answer, and whether the connection is closed behind them."""

    wire: bytes
    closes: bool = False


@dataclass(slots=True)
class Upstream:
    """A running upstream at `url`. It answers at `/<name>/<delivery>`; at `/next/<word>`, with the word."""

    answers: Mapping[str, Answer]
    url: str = ""
    connections: int = 0
    written: dict[str, asyncio.Event] = field(default_factory=dict)

    def address(self, name: str, delivery: Delivery) -> str:
        """Return where an answer is asked for."""
        return f"{self.url}/{name}/{delivery}"

    async def is_written(self, name: str, delivery: Delivery) -> None:
        """Wait until all of an answer has gone out, or its connection was closed.

        Raises `TimeoutError` if nobody has asked for the answer within `MAX_WAIT_S`.
        """
        async with asyncio.timeout(MAX_WAIT_S):
            await self.written[f"/{name}/{delivery}"].wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self.connections += 1
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            await reader.readexactly(length)
            path = head.split(b" ")[1].decode()
            name, _, last = path[1:].partition("/")
            if name == "next":
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(last), last.encode()))
                continue
            answer = self.answers[name]
            try:
                for piece in Delivery(last).cut(answer.wire):
                    writer.write(piece)
                    await writer.drain()
                    # The reader gets a turn, so that it sees the pieces one by one.
                    await asyncio.sleep(0)
            finally:
                self.written.setdefault(path, asyncio.Event()).set()
            if answer.closes:
                return


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object], tls: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """Serve each connection by `serve` on a free loopback port; give the address."""
    tasks: set[asyncio.Task[None]] = set()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)  # type: ignore[misc]
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError, ssl.SSLError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        # The ends of the connections are seen in the next turns of the loop.
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)


@asynccontextmanager
async def upstream(
    answers: Mapping[str, Answer], tls: ssl.SSLContext | None = None
) -> AsyncIterator[Upstream]:
    """Run an upstream."""
    running = Upstream(answers)
    for name in answers:
        for delivery in Delivery:
            running.written[f"/{name}/{delivery}"] = asyncio.Event()
    async with listening(running.serve, tls) as url:
        running.url = url
        yield running


def certificate(folder: Path) -> Path:
    """Write a certificate for `localhost`, which only itself vouches for, and its key; return the file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "localhost.pem"
    file.write_bytes(private + made.public_bytes(encoding))
    return file


def serving_tls(certificate: Path) -> ssl.SSLContext:
    """Return what a server needs to speak TLS with `certificate`."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    return tls
