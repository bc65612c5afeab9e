"""The answer to one request of `http_client.py`: filled by its connection, read by whoever asked.

    take_head, take …, finish, fail ─► Response ─► begin, readany … b"" at the end, read, close

What nobody has taken yet is bounded: above that the connection is told to listen no more. One timer has both
times, that of the whole answer and that of silence.
"""

import asyncio
import zlib
from typing import Protocol

# An idle connection that is closed is seen within a round trip of the request on it. What is closed later
# was closed with the request in hand.
CLOSED_IDLE_S = 1.0
# What has come of a body and nobody took yet; above it no more is read of the connection.
MAX_UNREAD_BYTES = 256 * 1024
# Of what one piece of a compressed body unpacks to.
MAX_UNPACKED_BYTES = 16 * 2**20
# Bits of a window for zlib: a gzip header, or that of zlib itself, is looked for.
_ANY_HEADER = zlib.MAX_WBITS | 32


class HttpError(ConnectionError):
    """There is no whole answer: not connected, closed too early, not HTTP, or more than is read."""


class ClosedIdleError(HttpError):
    """A kept connection was closed as the request went out on it, before a byte of an answer.

    Servers close connections that are idle, and no client can know in time: it says nothing of their health.
    """


class ConnectTimeoutError(HttpError, TimeoutError):
    """The other end did not take the connection in time; nothing was sent."""


class Connection(Protocol):
    """What an answer comes over."""

    def listen(self, *, listens: bool) -> None:
        """Read on, or no more for now."""

    def abort(self) -> None:
        """Close it at once."""


class Response:
    """The answer to one request; its body may still be on its way."""

    __slots__ = (
        "_answer_by",
        "_connection",
        "_decoder",
        "_error",
        "_head",
        "_idle_s",
        "_loop",
        "_pieces",
        "_received_at",
        "_timer",
        "_unread",
        "_waiter",
        "_whole",
        "raw_headers",
        "status",
    )

    def __init__(
        self,
        connection: Connection,
        loop: asyncio.AbstractEventLoop,
        timeout_s: float,
        idle_timeout_s: float | None,
    ) -> None:
        self.status = 0
        self.raw_headers: list[tuple[bytes, bytes]] = []
        self._head = b""
        self._connection: Connection | None = connection
        self._decoder: zlib._Decompress | None = None
        self._pieces: list[bytes] = []
        self._unread = 0
        self._whole = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._loop = loop
        self._received_at = loop.time()
        self._answer_by = self._received_at + timeout_s
        self._idle_s = timeout_s if idle_timeout_s is None else idle_timeout_s
        # One timer for head and body, which looks at the time itself: none is set for a piece.
        self._timer = loop.call_later(min(timeout_s, self._idle_s), self._look)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers, their names in lower case; of several of one name the last."""
        if self._head:
            lines = [line.partition(b":") for line in self._head.split(b"\r\n")[:-1]]
            self.raw_headers = [(name, value.lstrip(b" \t")) for name, _, value in lines]
            self._head = b""
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self.raw_headers}

    @property
    def is_just_asked(self) -> bool:
        """Return whether the request went out a moment ago, and nothing came since."""
        return self._loop.time() - self._received_at < CLOSED_IDLE_S

    @property
    def is_full(self) -> bool:
        """Return whether so much is unread that the connection is not listened to."""
        return self._unread > MAX_UNREAD_BYTES

    async def begin(self) -> None:
        """Wait for status and headers. Raises as `readany` does."""
        while not self.status:
            if self._error is not None:
                raise self._error
            await self._wait()

    async def readany(self) -> bytes:
        """Return what has come of the body, nothing at its end. Raises `HttpError`, `TimeoutError`."""
        while not self._pieces:
            if self._error is not None:
                raise self._error
            if self._whole:
                return b""
            self._waiter = self._loop.create_future()
            await self._waiter
        pieces, self._pieces = self._pieces, []
        found = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if self._unread > MAX_UNREAD_BYTES and self._connection is not None:
            self._received_at = self._loop.time()
            self._connection.listen(listens=True)
        self._unread = 0
        return found

    async def read(self, most: int) -> bytes:
        """Return the whole body. Raises `HttpError`, also for one above `most` bytes, and `TimeoutError`."""
        found = [await self.readany()]
        size = len(found[0])
        while not (self._whole and not self._pieces) and size <= most:
            found.append(await self.readany())
            size += len(found[-1])
        if size > most:
            self.close()
            raise HttpError("the answer is too long")
        return found[0] if len(found) == 1 else b"".join(found)

    def close(self) -> None:
        """Read no more; who waits for more is told so. A connection with a rest on it is not used again."""
        self.fail(HttpError("closed"))

    def take_whole(self, status: int, head: bytes, body: bytes) -> None:
        """Take an answer that came in one piece; its headers are read where somebody asks for them."""
        self._connection = None
        self.status = status
        self._head = head
        if body:
            self._pieces.append(body)
        self._whole = True
        self._timer.cancel()
        self._wake()

    def take_head(self, status: int) -> None:
        """Note that the headers are whole."""
        self.status = status
        for name, value in self.raw_headers:
            if name.lower() == b"content-encoding" and value.lower() != b"identity":
                # Not asked for, and sent all the same.
                self._decoder = zlib.decompressobj(_ANY_HEADER)
        self._wake()

    def take(self, piece: bytes) -> None:
        """Take a part of the body."""
        if self._decoder is not None:
            piece = self._unpacked(piece)
        if not piece or self._error is not None:
            return
        self._pieces.append(piece)
        self._unread += len(piece)
        if self._unread > MAX_UNREAD_BYTES and self._connection is not None:
            self._connection.listen(listens=False)
        waiter = self._waiter
        if waiter is not None:
            self._waiter = None
            if not waiter.done():
                waiter.set_result(None)

    def note_received(self) -> None:
        """Note that something came."""
        self._received_at = self._loop.time()

    def finish(self) -> None:
        """Note that the body is whole."""
        self._connection = None
        self._whole = True
        self._timer.cancel()
        self._wake()

    def fail(self, error: Exception) -> None:
        """Note that no more comes, unless the body is whole."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._error = error
            self._pieces = []
            self._timer.cancel()
            connection.abort()
            self._wake()

    def _unpacked(self, piece: bytes) -> bytes:
        assert self._decoder is not None  # noqa: S101 - the caller looked
        try:
            found = self._decoder.decompress(piece, MAX_UNPACKED_BYTES)
        except zlib.error as exc:
            self.fail(HttpError(f"cannot be unpacked: {exc}"))
            return b""
        if self._decoder.unconsumed_tail:
            self.fail(HttpError("unpacks to too much"))
        return found

    async def _wait(self) -> None:
        self._waiter = self._loop.create_future()
        await self._waiter

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _look(self) -> None:
        """Fail where the time is over; else look again when it would be."""
        now = self._loop.time()
        # Who is not listened to is not silent.
        idle_until = self._idle_s + (now if self.is_full else self._received_at)
        left_s = min(self._answer_by, idle_until) - now
        if left_s <= 0:
            self.fail(TimeoutError("no answer in time"))
        else:
            self._timer = self._loop.call_later(left_s, self._look)
