"""Encodes AWS's binary event stream: lengths, headers, payload and checksums (docs/providers/bedrock.md)."""

import json
import struct
from typing import Any
from zlib import crc32

MEDIA_TYPE = "application/vnd.amazon.eventstream"

_TEXT = b"\x07"


def event(name: str, payload: dict[str, Any]) -> bytes:
    """Return an event as one message."""
    kind = {":message-type": "event", ":event-type": name, ":content-type": "application/json"}
    return _message(kind, payload)


def exception(name: str, message: str) -> bytes:
    """Return an exception as one message."""
    kind = {":message-type": "exception", ":exception-type": name, ":content-type": "application/json"}
    return _message(kind, {"message": message})


def _message(headers: dict[str, str], payload: dict[str, Any]) -> bytes:
    head = b"".join(_header(name, value) for name, value in headers.items())
    body = json.dumps(payload, ensure_ascii=False).encode()
    lengths = struct.pack(">II", 16 + len(head) + len(body), len(head))
    checked = lengths + struct.pack(">I", crc32(lengths)) + head + body
    return checked + struct.pack(">I", crc32(checked))


def _header(name: str, value: str) -> bytes:
    text = value.encode()
    return bytes([len(name)]) + name.encode() + _TEXT + struct.pack(">H", len(text)) + text
