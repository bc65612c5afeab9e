"""POSTs to one host over connections that are kept open: as much of HTTP/1.1 as AWS's JSON services need.

A request through a general client costs three times the CPU, and text makes three for each answer. httptools
reads the answers, as it reads uvicorn's requests.
"""

import asyncio
import ssl
import time
from urllib.parse import urlsplit

import httptools

TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 2.0
# An idle connection is not used after this long: the other end may have closed it, or this process slept.
KEPT_S = 15.0
# More than any answer of DynamoDB.
MAX_ANSWER_BYTES = 16 * 2**20


class _Connection(asyncio.Protocol):
    """One connection: a request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.idle_since = 0.0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._body = bytearray()

    @property
    def is_open(self) -> bool:
        """Return whether another request may be sent."""
        return self.transport is not None and not self.transport.is_closing()

    def send(self, request: bytes) -> "asyncio.Future[tuple[int, bytes]]":
        """Send a request; give what its answer will be: status and body. Raises `ConnectionError`."""
        if self.transport is None:
            raise ConnectionError("not connected")
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self._answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Read on."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as exc:
            self._fail(ConnectionError(f"not HTTP: {exc}"))

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self._body += body
        if len(self._body) > MAX_ANSWER_BYTES:
            self._fail(ConnectionError("the answer is too long"))

    def on_message_complete(self) -> None:
        """Hand on the answer."""
        status, body = self._parser.get_status_code(), bytes(self._body)
        self._body.clear()
        if not self._parser.should_keep_alive() and self.transport is not None:
            self.transport.close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result((status, body))

    def connection_lost(self, exc: Exception | None) -> None:
        """End what waits for an answer."""
        self._fail(ConnectionError(f"closed: {exc!r}"))

    def _fail(self, error: ConnectionError) -> None:
        if self.transport is not None:
            self.transport.close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)


class Posts:
    """POSTs to the root of one host; of one event loop."""

    def __init__(self, endpoint: str) -> None:
        parts = urlsplit(endpoint)
        self.host = parts.netloc
        self._is_tls = parts.scheme == "https"
        self._address = parts.hostname or "", parts.port or (443 if self._is_tls else 80)
        self._tls: ssl.SSLContext | None = None
        self._idle: list[_Connection] = []

    async def send(self, headers: str, body: bytes) -> tuple[int, bytes]:
        """Send a request with these header lines, once; give status and body.

        Raises `OSError`, of which `TimeoutError` is one, where there is no answer.
        """
        request = f"POST / HTTP/1.1\r\nhost: {self.host}\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
        async with asyncio.timeout(TIMEOUT_S):
            connection = self._kept() or await self._connect()
            try:
                answer = await connection.send(request.encode() + body)
            except BaseException:
                # What comes later on this connection would be taken for the answer to another request.
                connection.connection_lost(None)
                raise
        if connection.is_open:
            connection.idle_since = time.monotonic()
            self._idle.append(connection)
        return answer

    def close(self) -> None:
        """Close what is kept."""
        while self._idle:
            self._idle.pop().connection_lost(None)

    def _kept(self) -> _Connection | None:
        """Return the connection that was used last, if it is still good; close those that are not."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and time.monotonic() - connection.idle_since < KEPT_S:
                return connection
            connection.connection_lost(None)
        return None

    async def _connect(self) -> _Connection:
        if self._is_tls and self._tls is None:
            self._tls = ssl.create_default_context()
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, connection = await asyncio.get_running_loop().create_connection(
                _Connection, *self._address, ssl=self._tls
            )
        return connection
