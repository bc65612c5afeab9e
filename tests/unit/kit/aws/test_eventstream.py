"""Our decoder against botocore's own, on messages cut anywhere."""

import struct
from typing import Any
from zlib import crc32

import pytest
from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.aws.eventstream import EventMessage, EventStreamDecoder, EventStreamError

texts = st.text("aé晴 :/", max_size=20)
names = st.text("abc:-", min_size=1, max_size=20)
values = texts | st.booleans() | st.binary(max_size=9) | st.integers(0, 100)
headers = st.dictionaries(names, values, max_size=4)


def encoded(given_headers: dict[str, object], payload: bytes) -> bytes:
    """Return one message; numbers go as 64 bits."""
    head = b""
    for name, value in given_headers.items():
        head += bytes([len(name)]) + name.encode()
        match value:
            case bool():
                head += b"\x00" if value else b"\x01"
            case int():
                head += b"\x05" + struct.pack(">q", value)
            case bytes():
                head += b"\x06" + struct.pack(">H", len(value)) + value
            case _:
                text = str(value).encode()
                head += b"\x07" + struct.pack(">H", len(text)) + text
    lengths = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    body = lengths + struct.pack(">I", crc32(lengths)) + head + payload
    return body + struct.pack(">I", crc32(body))


def decoded(stream: bytes, size: int) -> list[EventMessage]:
    decoder = EventStreamDecoder()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    return [message for piece in pieces for message in decoder.feed(piece)]


class TestEventStreamDecoder:
    @given(st.lists(st.tuples(headers, st.binary(max_size=50)), max_size=4), st.integers(1, 60))
    def test_gives_what_botocore_gives_wherever_the_stream_is_cut(
        self, messages: list[tuple[dict[str, object], bytes]], size: int
    ) -> None:
        stream = b"".join(encoded(head, payload) for head, payload in messages)
        theirs: Any = EventStreamBuffer()
        theirs.add_data(stream)
        expected = [
            EventMessage({k: v for k, v in event.headers.items() if isinstance(v, str)}, event.payload)
            for event in theirs
        ]
        assert decoded(stream, size) == expected

    @pytest.mark.parametrize("at", [0, 8, 13, 30, -1])
    def test_a_flipped_bit_is_noticed(self, at: int) -> None:
        stream = bytearray(encoded({":event-type": "chunk"}, b"{}"))
        stream[at] ^= 1
        with pytest.raises(EventStreamError):
            decoded(bytes(stream), 7)

    def test_what_came_whole_before_it_is_given(self) -> None:
        decoder = EventStreamDecoder()
        good = encoded({"a": "b"}, b"1")
        found = decoder.feed(good + b"HTTP/1.1 502 Bad Gateway")
        assert next(found) == EventMessage({"a": "b"}, b"1")
        with pytest.raises(EventStreamError):
            next(found)

    def test_a_message_beyond_the_limit_is_not_buffered(self) -> None:
        lengths = struct.pack(">II", 2**31, 0)
        with pytest.raises(EventStreamError, match="more than"):
            decoded(lengths + struct.pack(">I", crc32(lengths)), 12)

    def test_headers_that_lead_nowhere(self) -> None:
        head = b"\x20a\x07"
        lengths = struct.pack(">II", 16 + len(head), len(head))
        body = lengths + struct.pack(">I", crc32(lengths)) + head
        with pytest.raises(EventStreamError, match="headers"):
            decoded(body + struct.pack(">I", crc32(body)), 100)
