"""`python -m tollgate.probing.demuxer CONTAINER BYTES`: the process in which ffmpeg (PyAV) parses a header.

A header of 2 KB can keep ffmpeg busy for a minute, or take gigabytes: see `child.py` for what keeps it in.
Besides, ffmpeg is told which one format to read and never guesses (a playlist would name other addresses),
and finds no decoder that it may use: headers are all it parses.
"""

import sys
from collections.abc import Callable
from typing import Any

import av

# PyAV imports these when a file first has such a stream; by then nothing can be opened any more.
import av.audio.codeccontext
import av.audio.stream
import av.subtitles.codeccontext
import av.subtitles.stream
import av.video.codeccontext
import av.video.stream
from av.container.input import InputContainer
from av.stream import Disposition

from tollgate.probing.child import ask, confine, say

ReadAt = Callable[[int, int], bytes]

_FORMATS = {"mp4": "mov", "mov": "mov", "m4a": "mov", "webm": "matroska", "mp3": "mp3", "wav": "wav"}
_OPTIONS = {
    "protocol_whitelist": "none",
    "codec_whitelist": "none",
    "max_streams": "32",
    # How much ffmpeg may read, in bytes and microseconds, for what the header leaves open.
    "probesize": "32768",
    "analyzeduration": "0",
}
# PyAV 18, the last for Python 3.11, stops at tags that are not UTF-8 unless told; 19 has nothing to be told.
_TAGS: dict[str, Any] = {"metadata_errors": "ignore"} if av.__version__.startswith("18.") else {}
_BUFFER_BYTES = 32 * 1024
_US_PER_MS = 1000
_FROM_START, _FROM_HERE = 0, 1


class NothingReadableError(Exception):
    """The demuxer finds nothing in the file that it can read."""


class SeekableFile:
    """The file object that ffmpeg reads: `size` bytes, by `read_at`."""

    def __init__(self, size: int, read_at: ReadAt) -> None:
        self._size = size
        self._read_at = read_at
        self._offset = 0

    def read(self, length: int) -> bytes:
        """Return the next bytes; zeros for an image or sound, which nothing looks at."""
        length = max(0, min(length, self._size - self._offset))
        # Fields of a header come through ffmpeg's buffer. What is read past it is large, and content.
        found = bytes(length) if length > _BUFFER_BYTES else self._read_at(self._offset, length)
        self._offset += len(found)
        return found

    def seek(self, offset: int, whence: int = _FROM_START) -> int:
        """Move, as `io` does."""
        base = {_FROM_START: 0, _FROM_HERE: self._offset}.get(whence, self._size)
        self._offset = max(0, base + offset)
        return self._offset

    def tell(self) -> int:
        """Return the place in the file."""
        return self._offset


def demux(container: str, file: SeekableFile) -> dict[str, Any]:
    """Return the fields of `tracks.Tracks`. Raises `NothingReadableError`."""
    try:
        with av.open(
            file,
            "r",
            format=_FORMATS[container],
            container_options=_OPTIONS,
            buffer_size=_BUFFER_BYTES,
            **_TAGS,
        ) as opened:
            return _tracks(opened)
    except av.FFmpegError as exc:
        raise NothingReadableError(str(exc)) from exc


def _tracks(opened: InputContainer) -> dict[str, Any]:
    duration_us = opened.duration or 0
    duration_ms = (duration_us + _US_PER_MS // 2) // _US_PER_MS if duration_us > 0 else None
    # The image on a song's cover is a video stream too.
    videos = [each for each in opened.streams.video if not each.disposition & Disposition.attached_pic]
    if videos:
        # A stream of a codec that ffmpeg does not know has no such attributes.
        width, height = (getattr(videos[0], side, 0) or None for side in ("width", "height"))
        return {"kind": "video", "duration_ms": duration_ms, "width": width, "height": height}
    if opened.streams.audio:
        return {"kind": "audio", "duration_ms": duration_ms, "width": None, "height": None}
    raise NothingReadableError("neither video nor audio")


def main(container: str, size: int) -> None:
    """Read one header."""
    confine()
    try:
        say("found", demux(container, SeekableFile(size, ask)))
    except NothingReadableError as exc:
        say("none", str(exc))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
