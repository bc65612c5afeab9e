"""AWS's binary event stream (`application/vnd.amazon.eventstream`), decoded without an SDK.

A message consists of its length, the length of its headers, a CRC-32 of these eight bytes, the headers, the
payload, and a CRC-32 of everything before. A test compares this with botocore's decoder, whose import loads
the SDK and takes three times as long (`python -X importtime`). Source: the AWS documentation, "Event stream
encoding" (Amazon Transcribe, Setting up a streaming request), and docs/providers/bedrock.md.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zlib import crc32

# More than any event of a text model. Longer messages are not buffered (the format allows 24 MiB).
MAX_MESSAGE_BYTES = 2 * 1024 * 1024

_PRELUDE = struct.Struct(">III")
_CRC = struct.Struct(">I")
_LENGTH = struct.Struct(">H")
_TEXT = 7
_BYTES = 6
# Bytes of a header's value, by its type: booleans, numbers, a time, a UUID.
_FIXED_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}


class EventStreamError(Exception):
    """The bytes are no event stream, and cannot be read further."""


@dataclass(frozen=True, slots=True)
class EventMessage:
    """One message; of its headers those that are texts, which all that name anything are."""

    headers: Mapping[str, str]
    payload: bytes


class EventStreamDecoder:
    """Takes a stream in pieces of any size and gives the messages that each one completes."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, piece: bytes) -> Iterator[EventMessage]:
        """Return the messages that `piece` completes, to be taken to the end before the next piece.

        Raises `EventStreamError`, after the messages before the broken one.
        """
        self._pending += piece
        while len(self._pending) >= _PRELUDE.size:
            total = self._length()
            if len(self._pending) < total:
                return
            message = bytes(self._pending[:total])
            del self._pending[:total]
            yield _message(message)

    def _length(self) -> int:
        total, header_bytes, checksum = _PRELUDE.unpack_from(self._pending)
        least = _PRELUDE.size + header_bytes + _CRC.size
        if checksum != crc32(self._pending[: _PRELUDE.size - _CRC.size]) or total < least:
            raise EventStreamError("the start of a message does not fit together")
        if total > MAX_MESSAGE_BYTES:
            raise EventStreamError(f"a message has more than {MAX_MESSAGE_BYTES} bytes")
        return int(total)


def _message(message: bytes) -> EventMessage:
    if _CRC.unpack(message[-_CRC.size :])[0] != crc32(message[: -_CRC.size]):
        raise EventStreamError("a message does not match its checksum")
    payload_at = _PRELUDE.size + _PRELUDE.unpack_from(message)[1]
    headers = message[_PRELUDE.size : payload_at]
    try:
        return EventMessage(dict(_texts(headers)), message[payload_at : -_CRC.size])
    except (struct.error, IndexError, KeyError, UnicodeDecodeError) as exc:
        raise EventStreamError("a message's headers cannot be read") from exc


def _texts(headers: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(headers):
        name_at = at + 1
        type_at = name_at + headers[at]
        kind, at = headers[type_at], type_at + 1
        if kind in (_TEXT, _BYTES):
            (size,) = _LENGTH.unpack_from(headers, at)
            at += _LENGTH.size
        else:
            size = _FIXED_SIZES[kind]
        if kind == _TEXT:
            yield headers[name_at:type_at].decode(), headers[at : at + size].decode()
        at += size
