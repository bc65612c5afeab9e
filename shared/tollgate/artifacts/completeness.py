"""Checks that a file reaches its end, while its bytes pass by. Pure; holds only a few bytes at a time.

HTTP reports a connection that closed early only if the response announced a length, and a file inside an
answer has no length. But each format marks its end. Only the end is checked. Bytes after it, or an order
that players accept, are no reason to refuse a provider's result.

Sources: PNG (W3C, 2003, §5.3), JPEG (ITU-T T.81, annex B), GIF89a, WebP and WAV (RIFF), ISO/IEC 14496-12
(MP4, MOV, M4A, AVIF), RFC 8794 (WebM), MPEG-1 audio (ISO/IEC 11172-3) with LAME's Xing header, RFC 9639
(FLAC), RFC 3533 (Ogg), ISO/IEC 12113 (GLB).
"""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tollgate.artifacts.sniff import (
    AVIF,
    FLAC,
    GIF,
    GLB,
    JPEG,
    M4A,
    MOV,
    MP3,
    MP4,
    OGG,
    PNG,
    WAV,
    WEBM,
    WEBP,
    MediaType,
)


@dataclass(frozen=True, slots=True)
class _Sized:
    size: int


class Take(_Sized):
    """Requests the next `size` bytes; a file that ends before them is cut off."""


class TakeIfAny(_Sized):
    """Requests the next `size` bytes, or the rest of the file, which may be empty."""


class TakeTail(_Sized):
    """Requests the last `size` bytes of the file, or all of a shorter one."""


class Skip(_Sized):
    """Skips `size` bytes; a file that ends before them is cut off."""


@dataclass(frozen=True, slots=True)
class SkipPast:
    """Skips to the byte after the next `value`; a file without it is cut off."""

    value: bytes


Move: TypeAlias = Take | TakeIfAny | TakeTail | Skip | SkipPast
# Walks through a file of one format, and returns whether the file is complete.
Walk: TypeAlias = Generator[Move, bytes, bool]


class Completeness:
    """Follows one file of a known type; buffers only the bytes of the current move."""

    def __init__(self, kind: MediaType) -> None:
        self._walk = _WALKS[kind]()
        self._move: Move | None = next(self._walk)
        self._verdict = False
        self._data = b""
        self._at = 0

    def feed(self, chunk: bytes) -> None:
        """Process the next bytes of the file."""
        if self._move is None:
            return
        self._data = self._data[self._at :] + chunk
        self._at = 0
        while self._move is not None and self._advance(self._move):
            pass

    def is_complete(self) -> bool:
        """Return whether the bytes so far are a complete file. After this call, `feed` must not be called."""
        if isinstance(self._move, TakeIfAny | TakeTail):
            self._answer(self._data[self._at :])
            self._move = None
        return self._verdict

    def _advance(self, move: Move) -> bool:
        """Do `move` if enough bytes are here; return whether it was done."""
        left = len(self._data) - self._at
        match move:
            case Take(size) | TakeIfAny(size) if size <= left:
                self._at += size
                self._answer(self._data[self._at - size : self._at])
                return True
            case Skip(size) if size <= left:
                self._at += size
                self._answer(b"")
                return True
            case Skip(size):
                self._at += left
                self._move = Skip(size - left)
            case SkipPast(value):
                found = self._data.find(value, self._at)
                self._at = len(self._data) if found < 0 else found + 1
                if found >= 0:
                    self._answer(b"")
                    return True
            case TakeTail(size):
                self._at += max(0, left - size)
        return False

    def _answer(self, data: bytes) -> None:
        try:
            self._move = self._walk.send(data)
        except StopIteration as done:
            self._move, self._verdict = None, done.value


def _png() -> Walk:
    yield Skip(8)
    has_pixels = False
    while True:
        head = yield Take(8)
        size, kind = int.from_bytes(head[:4]), head[4:]
        yield Skip(size + 4)  # and its checksum
        if kind == b"IEND":
            return has_pixels
        has_pixels |= kind == b"IDAT"


_JPEG_END, _JPEG_SCAN = 0xD9, 0xDA
_JPEG_FILL = 0xFF
# Bytes that follow 0xFF without a length: an escaped byte of a scan, TEM, restarts, the start of an image.
_JPEG_BARE = (0x00, 0x01, *range(0xD0, 0xD9))


def _jpeg() -> Walk:
    yield Skip(2)
    has_pixels = False
    while True:
        # Inside a scan, a zero follows each 0xFF that is data, so it is no marker there.
        yield SkipPast(b"\xff")
        marker = _JPEG_FILL
        while marker == _JPEG_FILL:
            marker = (yield Take(1))[0]
        if marker == _JPEG_END:
            return has_pixels
        if marker not in _JPEG_BARE:
            size = int.from_bytes((yield Take(2)))
            yield Skip(max(0, size - 2))
        has_pixels |= marker == _JPEG_SCAN


_GIF_END, _GIF_EXTENSION, _GIF_IMAGE = b"\x3b", b"\x21", b"\x2c"


def _gif() -> Walk:
    head = yield Take(13)
    yield Skip(_gif_palette(head[10]))
    has_pixels = False
    while (kind := (yield Take(1))) != _GIF_END:
        if kind == _GIF_EXTENSION:
            yield Skip(1)
        elif kind == _GIF_IMAGE:
            head = yield Take(9)
            yield Skip(_gif_palette(head[8]) + 1)  # and the size of its codes
            has_pixels = True
        else:
            continue
        while size := (yield Take(1))[0]:
            yield Skip(size)
    return has_pixels


def _gif_palette(flags: int) -> int:
    """Return the bytes of the palette that the flags announce."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _webp() -> Walk:
    head = yield Take(12)
    yield Skip(max(0, int.from_bytes(head[4:8], "little") - 4))
    return True


# Sizes in a WAV that was written as a stream.
_UNKNOWN_32 = (0, 0xFFFFFFFF)


def _wav() -> Walk:
    # The size of the whole file is not used, because writers count it differently.
    yield Skip(12)
    while True:
        head = yield Take(8)
        kind, size = head[:4], int.from_bytes(head[4:], "little")
        if kind == b"data":
            yield Skip(1 if size in _UNKNOWN_32 else size)
            return True
        yield Skip(size + size % 2)


_BOX_HEAD_BYTES = 8
_BOX_TO_THE_END, _BOX_OF_64_BITS = 0, 1


def _boxes() -> Walk:
    found: set[bytes] = set()
    while head := (yield TakeIfAny(_BOX_HEAD_BYTES)):
        if len(head) < _BOX_HEAD_BYTES:
            return False
        size, kind, head_size = int.from_bytes(head[:4]), head[4:], _BOX_HEAD_BYTES
        if size == _BOX_TO_THE_END:
            return _can_be_shown(found | {kind})
        if size == _BOX_OF_64_BITS:
            size, head_size = int.from_bytes((yield Take(8))), 16
        if size < head_size:
            return _can_be_shown(found)
        yield Skip(size - head_size)
        found.add(kind)
    return _can_be_shown(found)


def _can_be_shown(boxes: set[bytes]) -> bool:
    """Return whether there is an index and data: of a video, sound or image, or of fragments."""
    return not boxes.isdisjoint({b"moov", b"meta"}) and not boxes.isdisjoint({b"mdat", b"moof"})


_SEGMENT = b"\x18\x53\x80\x67"


def _webm() -> Walk:
    has_data = False
    while first := (yield TakeIfAny(1)):
        name = first + (yield Take(_vint_bytes(first[0]) - 1))
        first = yield Take(1)
        width = _vint_bytes(first[0])
        size = int.from_bytes(first + (yield Take(width - 1))) & ((1 << 7 * width) - 1)
        if size == (1 << 7 * width) - 1:
            continue  # of unknown size, because it was written as a stream: its content follows
        yield Skip(size)
        if name == _SEGMENT:
            return True
        has_data = True
    return has_data


def _vint_bytes(first: int) -> int:
    """Return the length in bytes of an EBML number by its first byte: 1, plus 1 for each leading zero bit."""
    return 9 - first.bit_length()


_MP3_HEAD_BYTES = 4
_MPEG_1, _LAYER_3 = 3, 1
# Bit rates of layer 3 in MPEG-1, and in MPEG-2 and 2.5. The index in a file counts from 1.
_KBPS_1 = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBPS_2 = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_HZ = (44_100, 48_000, 32_000)
# By the two bits that stand for MPEG-1, 2 and 2.5.
_HZ_DIVISOR = {_MPEG_1: 1, 2: 2, 0: 4}
# LAME and ffmpeg write the header within this distance from the start of the first frame.
_XING_WITHIN = 48


def _mp3() -> Walk:
    head = yield Take(_MP3_HEAD_BYTES)
    if head.startswith(b"ID3"):
        tag = yield Take(6)
        yield Skip(sum((byte & 0x7F) << 7 * place for place, byte in enumerate(reversed(tag[2:]))))
        head = yield TakeIfAny(_MP3_HEAD_BYTES)
    walked, announced = 0, 0
    while len(head) == _MP3_HEAD_BYTES and (size := _mp3_frame_bytes(head)):
        frame = yield Take(size - _MP3_HEAD_BYTES)
        announced = announced if walked else _xing_bytes(frame[:_XING_WITHIN])
        walked += size
        head = yield TakeIfAny(_MP3_HEAD_BYTES)
    if len(head) == _MP3_HEAD_BYTES:
        return True  # tags, or frames without a size: the end cannot be checked
    return not head.startswith(b"\xff") and walked >= max(announced, 1)


def _mp3_frame_bytes(head: bytes) -> int:
    """Return the size of the frame that begins with `head`; 0 for other data, or a frame without a size."""
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    rate, hz, padding = head[2] >> 4, head[2] >> 2 & 3, head[2] >> 1 & 1
    is_frame = int.from_bytes(head[:2]) >> 5 == (1 << 11) - 1 and version in _HZ_DIVISOR and layer == _LAYER_3
    if not is_frame or rate - 1 not in range(len(_KBPS_1)) or hz == len(_HZ):
        return 0
    if version == _MPEG_1:
        return 144_000 * _KBPS_1[rate - 1] // _HZ[hz] + padding
    return 72_000 * _KBPS_2[rate - 1] * _HZ_DIVISOR[version] // _HZ[hz] + padding


def _xing_bytes(start: bytes) -> int:
    """Return the bytes of all frames according to the first frame; 0 if it has no such number."""
    at = max(start.find(b"Xing"), start.find(b"Info"))
    if at < 0:
        return 0
    flags = int.from_bytes(start[at + 4 : at + 8])
    after_frames = at + (12 if flags & 1 else 8)
    return int.from_bytes(start[after_frames : after_frames + 4]) if flags & 2 else 0


_FLAC_LAST, _FLAC_INFO = 0x80, 0
_FLAC_SYNC = (b"\xff\xf8", b"\xff\xf9")
# The most bytes of one frame; encoders write less than a quarter of it.
_FLAC_FRAME_BYTES = 64 * 1024
# Possible starts of the last frame; random data looks like one start in 32 KiB.
_FLAC_CANDIDATES = 64
_CRC16 = 0x8005


def _flac() -> Walk:
    yield Skip(4)
    is_last, most = False, 0
    while not is_last:
        head = yield Take(4)
        is_last, size = bool(head[0] & _FLAC_LAST), int.from_bytes(head[1:])
        if head[0] & ~_FLAC_LAST == _FLAC_INFO:
            most = int.from_bytes((yield Take(size))[7:10])
        else:
            yield Skip(size)
    tail = yield TakeTail(min(most or _FLAC_FRAME_BYTES, _FLAC_FRAME_BYTES))
    # A frame ends with a checksum. The last frame is complete if the checksum is right from some start.
    begins = [at for at in range(len(tail) - 1) if tail[at : at + 2] in _FLAC_SYNC]
    return any(_crc16(tail[at:]) == 0 for at in begins[-_FLAC_CANDIDATES:])


def _crc16(data: bytes) -> int:
    """Return FLAC's checksum; 0 for data that ends with its checksum."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = crc << 1 ^ (_CRC16 if crc & 0x8000 else 0)
        crc &= 0xFFFF
    return crc


_OGG_HEAD_BYTES, _OGG_LAST_PAGE = 27, 4


def _ogg() -> Walk:
    is_last = False
    while head := (yield TakeIfAny(_OGG_HEAD_BYTES)):
        if not head.startswith(b"OggS"):
            break
        if len(head) < _OGG_HEAD_BYTES:
            return False
        is_last = bool(head[5] & _OGG_LAST_PAGE)
        yield Skip(sum((yield Take(head[26])) if head[26] else b""))
    return is_last


# The JSON part of a GLB has the scene without its data, some kilobytes; this bounds the memory for it.
_GLB_JSON_BYTES = 8 * 1024 * 1024


def _glb() -> Walk:
    head = yield Take(20)
    size, json_size = int.from_bytes(head[8:12], "little"), int.from_bytes(head[12:16], "little")
    if head[16:20] != b"JSON" or json_size > min(size - 20, _GLB_JSON_BYTES):
        return False
    is_scene = _is_scene((yield Take(json_size)))
    yield Skip(size - 20 - json_size)
    return is_scene


def _is_scene(data: bytes) -> bool:
    """Return whether this is the JSON part of a GLB. `asset` is its only required field."""
    try:
        scene = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(scene, dict) and "asset" in scene


_WALKS: Mapping[MediaType, Callable[[], Walk]] = {
    PNG: _png,
    JPEG: _jpeg,
    GIF: _gif,
    WEBP: _webp,
    WAV: _wav,
    AVIF: _boxes,
    MP4: _boxes,
    MOV: _boxes,
    M4A: _boxes,
    WEBM: _webm,
    MP3: _mp3,
    FLAC: _flac,
    OGG: _ogg,
    GLB: _glb,
}
