"""The body of a request to a framework's route, read within a bound."""

from collections.abc import AsyncIterator
from typing import Protocol

from tollgate.kit.errors import PayloadTooLargeError


class Streamed(Protocol):
    """A request whose body comes in pieces, as Starlette's does."""

    def stream(self) -> AsyncIterator[bytes]:
        """Return the pieces of the body."""


async def read_bytes(request: Streamed, max_bytes: int) -> bytes:
    """Return a request's body. Raises `PayloadTooLargeError`; then the rest is left unread."""
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > max_bytes:
            raise PayloadTooLargeError(max_bytes)
    return bytes(found)
