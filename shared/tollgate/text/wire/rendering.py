"""The form of a response for its client: unchanged, or translated to a protocol other than chat."""

from dataclasses import dataclass
from typing import Protocol

from tollgate.text.models import TextProtocol

# Sent while a stream is quiet: a comment, or the ping event of Anthropic's protocol.
KEEP_ALIVE = {
    **dict.fromkeys(TextProtocol, b": keep-alive\n\n"),
    TextProtocol.ANTHROPIC: b'event: ping\ndata: {"type": "ping"}\n\n',
}


class Rendering(Protocol):
    """Turns one response of the text service into the client's format."""

    @property
    def protocol(self) -> TextProtocol:
        """Return the protocol of the response and of error bodies."""

    @property
    def keep_alive(self) -> bytes:
        """Return the bytes to send while a stream is quiet."""

    def events(self, chunk: bytes) -> bytes:
        """Return the bytes to send for whole events of a streamed response."""

    def error(self, body: bytes) -> bytes:
        """Return the last event of a stream that had to begin before its error was known."""

    async def end(self) -> bytes:
        """Return the bytes that end a stream, once it is settled."""

    async def whole(self, body: bytes) -> bytes:
        """Return the body of a whole answer, once it is settled."""


@dataclass(slots=True)
class Unchanged:
    """The rendering of a chat: nothing is changed."""

    protocol: TextProtocol

    @property
    def keep_alive(self) -> bytes:
        """Return a comment, or the event that Anthropic's clients know."""
        return KEEP_ALIVE[self.protocol]

    def events(self, chunk: bytes) -> bytes:
        """Return the chunk."""
        return chunk

    def error(self, body: bytes) -> bytes:
        """Return the error as an event."""
        name = b"event: error\n" if self.protocol is TextProtocol.ANTHROPIC else b""
        return name + b"data: " + body.replace(b"\n", b" ") + b"\n\n"

    async def end(self) -> bytes:
        """Return nothing: the answer has its own end."""
        return b""

    async def whole(self, body: bytes) -> bytes:
        """Return the body."""
        return body


@dataclass(slots=True)
class Bare(Unchanged):
    """The rendering of bytes that are no events: a recording."""

    @property
    def keep_alive(self) -> bytes:
        """Return nothing: any byte would be a part of the recording."""
        return b""

    def error(self, body: bytes) -> bytes:
        """Return nothing."""
        del body
        return b""
