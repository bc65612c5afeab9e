"""Media files, made here by ffmpeg and Pillow, and a few that are forged.

Videos are 320 × 180 and 3 s long, songs 2 s.
"""

import io
import struct
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
from av.audio.stream import AudioStream
from av.video.stream import VideoStream
from PIL import Image

from local.simulator.media.mp4 import Mp4
from local.simulator.media.sound import SAMPLE_RATE_HZ, chords
from tests.unit.probing.media_server import Sparse

FILM_S = 3
SONG_S = 2
FRAMES_PER_S = 8
WIDTH_PX, HEIGHT_PX = 320, 180


@cache
def mp4(audio: bool = True) -> bytes:
    """Return an H.264 MP4 with its index (`moov`) in front."""
    return Mp4((16, 9), FILM_S, audio, "harbour", "test", seed=1).render()


@cache
def rewrapped(format_name: str, **options: str) -> bytes:
    """Return the video of `mp4` in another container: `mp4` and `mov` have their index at the end then."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "film")
        with (
            av.open(io.BytesIO(mp4()), "r") as source,
            av.open(str(path), "w", format=format_name, options=options) as target,
        ):
            streams = {each.index: target.add_stream_from_template(each) for each in source.streams}
            for packet in source.demux():
                if packet.dts is not None:
                    packet.stream = streams[packet.stream.index]
                    target.mux(packet)
        return path.read_bytes()


def fragmented_mp4() -> bytes:
    """Return the video of `mp4` with an index in front of every frame and none for all of them."""
    return rewrapped("mp4", movflags="frag_every_frame+empty_moov+default_base_moof+skip_trailer")


@cache
def encoded_film(
    format_name: str,
    codec: str,
    size_px: tuple[int, int] = (WIDTH_PX, HEIGHT_PX),
    frames: int = FILM_S * FRAMES_PER_S,
    **options: str,
) -> bytes:
    """Return a video without sound, in any container and codec that ffmpeg can write."""
    found = io.BytesIO()
    with av.open(found, "w", format=format_name, options=options) as target:
        # VP8's encoder otherwise looks for the best way, with all cores.
        fast = {"deadline": "realtime", "cpu-used": "8", "threads": "1"} if codec == "libvpx" else {}
        stream = target.add_stream(codec, FRAMES_PER_S, fast)
        assert isinstance(stream, VideoStream)
        (stream.width, stream.height), stream.pix_fmt = size_px, "yuv420p"
        for number in range(frames):
            frame = av.VideoFrame(*size_px, "yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, FRAMES_PER_S)
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return found.getvalue()


def webm(**options: str) -> bytes:
    """Return a VP8 WebM; `live="1"` is one whose writer could not go back to note the length."""
    return encoded_film("webm", "libvpx", **options)


def uncompressed_film(width_px: int, height_px: int) -> bytes:
    """Return a MOV of one second whose every frame is width × height × 1.5 bytes."""
    return encoded_film("mov", "rawvideo", (width_px, height_px), FRAMES_PER_S)


_SOUND = {
    "mp3": ("libmp3lame", "s16p"),
    "wav": ("pcm_s16le", "s16"),
    "ipod": ("aac", "fltp"),  # ffmpeg's name for M4A
    "mp4": ("aac", "fltp"),
    "webm": ("libopus", "s16"),
    "flac": ("flac", "s16"),
}


@cache
def song(format_name: str, **options: str) -> bytes:
    """Return a song in the container that ffmpeg calls so."""
    codec, samples = _SOUND[format_name]
    found = io.BytesIO()
    with av.open(found, "w", format=format_name, options=options) as target:
        stream = target.add_stream(codec, SAMPLE_RATE_HZ, layout="mono")
        assert isinstance(stream, AudioStream)
        for frame in chords(1, SONG_S, sample_format=samples):
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return found.getvalue()


@cache
def picture(format_name: str, mode: str = "RGB", **options: bool) -> bytes:
    """Return an image of 320 × 180 in the format that Pillow calls so."""
    found = io.BytesIO()
    gradient = Image.linear_gradient("L").resize((WIDTH_PX, HEIGHT_PX)).convert(mode)
    gradient.save(found, format_name, **options)
    return found.getvalue()


def png_that_claims(width_px: int, height_px: int) -> bytes:
    """Return the first bytes of a PNG of any size."""
    ihdr = struct.pack(">II5B", width_px, height_px, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(ihdr)) + b"IHDR" + ihdr + bytes(4)


def synchsafe(number: int) -> bytes:
    """Return a number as ID3 tags write it: 7 bits in each of four bytes."""
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def boxes(file: bytes) -> dict[str, bytes]:
    """Return the top-level boxes of an MP4 by type, with their headers."""
    return {kind: file[start:end] for kind, start, end in _spans(file)}


def scattered_fragments(gap_bytes: int) -> Sparse:
    """Return an MP4 in fragments with gaps between them: `free` boxes of `gap_bytes`."""
    film = fragmented_mp4()
    gap = struct.pack(">I4s", gap_bytes, b"free")
    parts, offset = {}, 0
    for kind, start, end in _spans(film):
        if kind == "moof":
            parts[offset] = gap
            offset += gap_bytes
        parts[offset] = film[start:end]
        offset += end - start
    return Sparse(offset, parts)


def mp4_that_claims(samples: int, *kinds: bytes) -> bytes:
    """Return an MP4 of these kinds of tracks (one of video if none), told in a few bytes each.

    Each has that many samples, of a millisecond and a byte.
    """
    tracks = b"".join(_track(number, kind, samples) for number, kind in enumerate(kinds or (b"vide",), 1))
    movie = _box(b"moov", _box(b"mvhd", _words(0, 0, 0, 1000, samples), bytes(80)), tracks)
    return _box(b"ftyp", b"isom", _words(0), b"isom") + movie + _box(b"mdat", bytes(1000))


def busy_mp4() -> bytes:
    """Return a video in fragments that keeps ffmpeg busy for many seconds, by the number of its track."""
    film = bytearray(fragmented_mp4())
    number = film.index(b"tkhd") + 16
    assert film[number : number + 4] == _words(1)
    film[number : number + 4] = _words(2**32 - 1)
    return bytes(film)


_ENTRIES = {b"vide": b"avc1", b"soun": b"mp4a", b"sbtl": b"tx3g", b"tmcd": b"tmcd", b"meta": b"mebx"}


def _track(number: int, kind: bytes, samples: int) -> bytes:
    size = struct.pack(">HH", WIDTH_PX, HEIGHT_PX)
    entry = _box(_ENTRIES[kind], bytes(6), _words(1)[2:], bytes(16), size, bytes(50))
    table = _box(
        b"stbl",
        _box(b"stsd", _words(0, 1), entry),
        _box(b"stts", _words(0, 1, samples, 1)),
        _box(b"stsc", _words(0, 1, 1, samples, 1)),
        _box(b"stsz", _words(0, 1, samples)),
        _box(b"stco", _words(0, 1, 0)),
    )
    media = _box(
        b"mdia",
        _box(b"mdhd", _words(0, 0, 0, 1000, samples, 0)),
        _box(b"hdlr", _words(0, 0), kind, bytes(13)),
        _box(b"minf", table),
    )
    return _box(b"trak", _box(b"tkhd", _words(0, 0, 0, number, 0, samples), bytes(60)), media)


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def _words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def _spans(file: bytes) -> Iterator[tuple[str, int, int]]:
    """Return type, start and end of each top-level box."""
    offset = 0
    while offset < len(file):
        size, kind = struct.unpack_from(">I4s", file, offset)
        yield kind.decode(), offset, offset + size
        offset += size
