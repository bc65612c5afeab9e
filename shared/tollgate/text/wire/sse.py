"""A byte stream as server-sent events (WHATWG HTML, section 9.2), cut anywhere, with each event's own bytes.

The raw bytes of all events, with the remainder, are the stream: a relay passes them on unchanged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# More than any event that a provider is known to send. Longer events are not buffered.
MAX_EVENT_BYTES = 2 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_LF, _CR, _BLANK_LINE = b"\n", b"\r", b"\n\n"
_DATA_PREFIX = b"data: "
_ONE_LINE_BREAKS = 2
_BLANK_LINE_ANY = re.compile(rb"(?:\r\n|\n|\r(?=[^\n]))(?:\r\n|\n|\r(?=[^\n]))")
_BLANK_LINE_AT_END = re.compile(rb"(?:\r\n|\n|\r)\r\Z")
# The longest start of a blank line at the end of the received bytes: CR LF CR.
_OVERLAP_BYTES = 3


class UnreadableStreamError(Exception):
    """A stream cannot be read on."""


class EventTooLargeError(UnreadableStreamError):
    """An event is longer than it may be."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its bytes in `raw`, its `data` lines joined by LF (`None` if it has none) and its `name`.

    A block without data (comments, blank lines) is an event here too, because its bytes are passed on.
    """

    raw: bytes
    data: bytes | None
    name: bytes = b""


class SseSplitter:
    """Takes a stream in pieces of any size and gives the events that each one completes.

    An event has at most `max_event_bytes`.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._most = max_event_bytes
        self._pending = bytearray()
        self._scanned = 0
        self._first = True

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Return the events that `piece` completes, to be taken to the end before the next piece.

        Raises `EventTooLargeError`, after the events before the oversized event.
        """
        buffer: bytes | bytearray = piece
        if self._pending:
            # In place: a long event comes in very many pieces.
            self._pending += piece
            buffer = self._pending
        has_cr = _CR in buffer
        start = 0
        while (end := _end_of_event(buffer, max(start, self._scanned), has_cr)) >= 0:
            # Of a `bytearray`, a slice would be a second copy of a long event.
            raw = buffer[start:end] if isinstance(buffer, bytes) else bytes(memoryview(buffer)[start:end])
            yield self._event(raw)
            start, self._scanned = end, end
        if isinstance(buffer, bytearray):
            del buffer[:start]
        else:
            self._pending += buffer[start:]
        self._scanned = max(0, len(self._pending) - _OVERLAP_BYTES)
        if len(self._pending) > self._most:
            raise EventTooLargeError

    def close(self) -> Iterator[SseEvent]:
        """The last event if only the stream's end shows that it was complete (a stream of bare CRs)."""
        rest, self._pending = bytes(self._pending), bytearray()
        if _BLANK_LINE_AT_END.search(rest):
            yield self._event(rest)

    def _event(self, raw: bytes) -> SseEvent:
        if len(raw) > self._most:
            raise EventTooLargeError
        text = raw.removeprefix(_BOM) if self._first else raw
        self._first = False
        # What nearly every chunk of a chat stream looks like.
        is_plain = text.startswith(_DATA_PREFIX) and text.count(_LF) == _ONE_LINE_BREAKS
        if is_plain and text.endswith(_BLANK_LINE) and _CR not in text:
            return SseEvent(raw, text[len(_DATA_PREFIX) : -len(_BLANK_LINE)])
        return _parsed(raw, text)


def _end_of_event(buffer: bytes | bytearray, start: int, has_cr: bool) -> int:
    if not has_cr:
        found = buffer.find(_BLANK_LINE, start)
        return found + len(_BLANK_LINE) if found >= 0 else -1
    match = _BLANK_LINE_ANY.search(buffer, start)
    return match.end() if match else -1


def _parsed(raw: bytes, text: bytes) -> SseEvent:
    name = b""
    data: list[bytes] = []
    for line in text.splitlines():
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    return SseEvent(raw, _LF.join(data) if data else None, name)
