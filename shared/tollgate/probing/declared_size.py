"""The size that a file declares for itself, which shows that a file was cut off. Pure.

Sources: ISO/IEC 14496-12, 4.2 (boxes), RFC 8794, 4 and 6 (EBML), the RIFF header of WAV and WebP.
"""

import struct
from collections.abc import Callable

ReadAt = Callable[[int, int], bytes]

# The most boxes before the index and the media; usually there are a few.
MAX_BOXES = 32
# Sizes in a RIFF header that was written as a stream.
_UNDECLARED = (0, 0xFFFFFFFF)
_MIN_BOX = 8
_BOX_HEADER = 16
_SIZE_IN_64_BITS = 1
_SEGMENT_ID = b"\x18\x53\x80\x67"


def declared_bytes(container: str, read_at: ReadAt) -> int | None:
    """Return the least bytes that the file must have by its own header; `None` if it has no such number."""
    reader = _READERS.get(container)
    return None if reader is None else reader(read_at)


def _riff(read_at: ReadAt) -> int | None:
    (size,) = struct.unpack("<I", read_at(4, 4).ljust(4, b"\0"))
    # Not 8, because some writers count a last byte of padding that they do not write.
    return None if size in _UNDECLARED else 7 + size


def _boxes(read_at: ReadAt) -> int:
    """Follow the top-level boxes until index and media are found; return the end of the last box."""
    end = 0
    missing = {b"moov", b"mdat"}
    for _ in range(MAX_BOXES):
        header = read_at(end, _BOX_HEADER)
        size, kind = _box(header)
        if size < _MIN_BOX or not kind.isalnum():
            break
        end += size
        missing.discard(kind)
        if not missing:
            break
    return end


def _box(header: bytes) -> tuple[int, bytes]:
    """Return a box's size and type; size 0 means "to the end of the file"."""
    size, kind = struct.unpack(">I4s", header[:_MIN_BOX].ljust(_MIN_BOX, b"\0"))
    if size == _SIZE_IN_64_BITS and len(header) == _BOX_HEADER:
        (size,) = struct.unpack_from(">Q", header, _MIN_BOX)
    return size, kind


def _segment(read_at: ReadAt) -> int | None:
    """Return the end of the single segment in a WebM."""
    header = _element(read_at, 4)
    if header is None:
        return None
    start = 4 + header[0] + header[1]
    if read_at(start, 4) != _SEGMENT_ID:
        return None
    segment = _element(read_at, start + 4)
    return None if segment is None else start + 4 + segment[0] + segment[1]


def _element(read_at: ReadAt, offset: int) -> tuple[int, int] | None:
    """Read an EBML size: its own length in bytes, and its value; `None` for "unknown"."""
    first = read_at(offset, 1)
    if not first or first[0] == 0:
        return None
    length = 9 - first[0].bit_length()
    bits = 7 * length
    value = int.from_bytes(read_at(offset, length)) & (1 << bits) - 1
    return None if value == (1 << bits) - 1 else (length, value)


_READERS: dict[str, Callable[[ReadAt], int | None]] = {
    "wav": _riff,
    "webp": _riff,
    "mp4": _boxes,
    "mov": _boxes,
    "m4a": _boxes,
    "webm": _segment,
}
