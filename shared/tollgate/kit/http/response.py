"""The response to one request of `client.py`: its connection fills it, the caller reads it.

    take_head, take …, finish, fail ─► Response ─► begin, readany … b"" at the end, read, close

The unread part is bounded: above the bound the connection stops reading. One timer enforces both limits, on
the whole response and on silence. If a response breaks off, the caller first gets the bytes that arrived, and
then the error.
"""

import asyncio
from typing import Protocol

from tollgate.kit.http.decompression import Unpacker, UnpackingError

# If an idle connection was closed, the client sees it within a round trip of the next request. After this
# time, the server closed it with the request in hand.
CLOSED_IDLE_S = 1.0
# Most unread bytes of a body; above it the connection stops reading.
MAX_UNREAD_BYTES = 256 * 1024

# Names for a body as it is.
_NOT_PACKED = (b"", b"identity")


class HttpError(ConnectionError):
    """There is no whole answer: not connected, closed too early, not HTTP, or too long."""


class ClosedIdleError(HttpError):
    """A kept connection was closed, or answered with 408, as the request went out on it.

    Servers close connections that are idle, and no client can know in time. So this is no sign of the
    server's health. The request was most likely not carried out, but this is not certain.
    """


class ConnectTimeoutError(HttpError, TimeoutError):
    """The other end did not take the connection in time; nothing was sent."""


class Connection(Protocol):
    """The connection that delivers a response."""

    def listen(self, *, listens: bool) -> None:
        """Read on, or no more for now."""

    def abort(self) -> None:
        """Close it at once."""


class Response:
    """The answer to one request; its body may still be on its way."""

    __slots__ = (
        "_answer_by",
        "_connection",
        "_error",
        "_head",
        "_idle_s",
        "_loop",
        "_pieces",
        "_timer",
        "_unpacker",
        "_unread",
        "_waiter",
        "_whole",
        "raw_headers",
        "received_at",
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
        self._unpacker: Unpacker | None = None
        self._pieces: list[bytes] = []
        self._unread = 0
        self._whole = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._loop = loop
        self.received_at = loop.time()
        self._answer_by = self.received_at + timeout_s
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
        """Return whether the request was sent, or bytes arrived, less than a moment ago."""
        return self._loop.time() - self.received_at < CLOSED_IDLE_S

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
        """Return the unread part of the body, or nothing at its end.

        Raises `HttpError` and `TimeoutError`, after all the bytes from before the error were returned.
        """
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
            self.received_at = self._loop.time()
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
        """Stop reading. A caller that waits for more gets an `HttpError`.

        The connection is closed too, unless the response was complete.
        """
        if self._connection is not None:
            self._pieces = []
            self.fail(HttpError("closed"))

    def take_whole(self, status: int, head: bytes, body: bytes) -> None:
        """Take a response that came in one piece. Its headers are split only when they are read."""
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
        listed = b",".join([value for name, value in self.raw_headers if name.lower() == b"content-encoding"])
        codings = [name for part in listed.lower().split(b",") if (name := part.strip()) not in _NOT_PACKED]
        if codings:
            try:
                self._unpacker = Unpacker(codings)
            except UnpackingError as exc:
                self.fail(HttpError(f"cannot be unpacked: {exc}"))
        self._wake()

    def take(self, piece: bytes) -> None:
        """Take a part of the body."""
        if self._unpacker is not None:
            try:
                piece = self._unpacker.feed(piece)
            except UnpackingError as exc:
                self.fail(HttpError(f"cannot be unpacked: {exc}"))
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

    def finish(self) -> None:
        """Note that the body is whole; one whose packing is not whole has broken off."""
        if self._unpacker is not None and not self._unpacker.is_whole:
            self.fail(HttpError("the packed body breaks off"))
            return
        self._connection = None
        self._whole = True
        self._timer.cancel()
        self._wake()

    def fail(self, error: Exception) -> None:
        """Note that no more comes, unless the body is whole. The bytes that arrived remain readable."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._error = error
            self._timer.cancel()
            connection.abort()
            self._wake()

    async def _wait(self) -> None:
        self._waiter = self._loop.create_future()
        await self._waiter

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _look(self) -> None:
        """Fail if the time is over; otherwise look again when it would be."""
        now = self._loop.time()
        # While we do not read, the other end is not silent.
        idle_until = self._idle_s + (now if self.is_full else self.received_at)
        left_s = min(self._answer_by, idle_until) - now
        if left_s <= 0:
            self.fail(TimeoutError("no answer in time"))
        else:
            self._timer = self._loop.call_later(left_s, self._look)
