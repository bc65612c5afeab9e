"""The size of an image, only from its header. Nothing is decoded, so compressed data cannot expand. Pure.

Sources: PNG (W3C, 11.2.1), GIF89a (18), RFC 9649 (WebP, 2), ITU-T T.81 (JPEG, annex B).
"""

import struct
from collections.abc import Callable

# `(offset, length)` → these bytes of the file, fewer at its end.
ReadAt = Callable[[int, int], bytes]

# The longest side of a JPEG or a GIF.
MAX_SIDE_PX = 65_535
MAX_PIXELS = 2**28
# Segments of a JPEG before its image. A few are usual; hundreds are an attack.
MAX_SEGMENTS = 256

_JPEG_MARKER = 0xFF
# SOF0 to SOF15; the three other markers are tables and an extension (T.81 table B.1).
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ENDS = frozenset({0xD9, 0xDA})
_VP8_START = b"\x9d\x01\x2a"
_VP8L_SIGNATURE = 0x2F
_14_BITS = 0x3FFF


class NoImageError(ValueError):
    """The header is broken, cut off, or not of this format."""


def pixel_size(container: str, read_at: ReadAt) -> tuple[int, int]:
    """Return width and height of a `png`, `jpeg`, `gif` or `webp`. Raises `NoImageError`."""
    try:
        width, height = _READERS[container](read_at)
    except struct.error as exc:
        raise NoImageError("the header is cut off") from exc
    if width == 0 or height == 0:
        raise NoImageError("a side is 0")
    return width, height


def is_implausible(width: int, height: int) -> bool:
    """Return whether the size is too large for a real image."""
    return max(width, height) > MAX_SIDE_PX or width * height > MAX_PIXELS


def _png(read_at: ReadAt) -> tuple[int, int]:
    name, width, height = struct.unpack(">4sII", read_at(12, 12))
    if name != b"IHDR":
        raise NoImageError("no IHDR")
    return width, height


def _gif(read_at: ReadAt) -> tuple[int, int]:
    width, height = struct.unpack("<HH", read_at(6, 4))
    return width, height


def _jpeg(read_at: ReadAt) -> tuple[int, int]:
    offset = 2
    for _ in range(MAX_SEGMENTS):
        lead, marker, length = struct.unpack(">BBH", read_at(offset, 4))
        if lead != _JPEG_MARKER or marker in _JPEG_ENDS:
            break
        if marker == _JPEG_MARKER:  # a fill byte: markers may have any number of them
            offset += 1
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", read_at(offset + 5, 4))
            return width, height
        else:
            offset += 2 + length
    raise NoImageError("no frame")


def _webp(read_at: ReadAt) -> tuple[int, int]:
    form = read_at(12, 4)
    if form == b"VP8X":
        low_width, high_width, low_height, high_height = struct.unpack("<HBHB", read_at(24, 6))
        return 1 + (high_width << 16 | low_width), 1 + (high_height << 16 | low_height)
    if form == b"VP8L":
        signature, bits = struct.unpack("<BI", read_at(20, 5))
        if signature == _VP8L_SIGNATURE:
            return 1 + (bits & _14_BITS), 1 + (bits >> 14 & _14_BITS)
    if form == b"VP8 ":
        start, width, height = struct.unpack("<3sHH", read_at(23, 7))
        if start == _VP8_START:
            return width & _14_BITS, height & _14_BITS
    raise NoImageError("no image chunk")


_READERS = {"png": _png, "gif": _gif, "jpeg": _jpeg, "webp": _webp}
