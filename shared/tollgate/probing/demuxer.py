"""`python -m tollgate.probing.demuxer CONTAINER BYTES`: the process in which ffmpeg (PyAV) parses a header.

A header of 2 KB can keep ffmpeg busy for a minute, or use gigabytes; `child.py` limits the process. Also,
ffmpeg may read only one given format and never guesses, because a playlist would name other addresses. It
may use no decoder, so it parses only headers.
"""

import sys
from collections.abc import Callable
from typing import Any

import av

# PyAV imports these when a file first has such a stream, and by then nothing can be opened.
import av.audio.codeccontext
import av.audio.stream
import av.subtitles.codeccontext
import av.subtitles.stream
import av.video.codeccontext
import av.video.stream
from av.container.input import InputContainer
from av.stream import Disposition

from tollgate.probing.child import apply_limits, read_from_parent, send_to_parent

ReadAt = Callable[[int, int], bytes]

_FORMATS = {"mp4": "mov", "mov": "mov", "m4a": "mov", "webm": "matroska", "mp3": "mp3", "wav": "wav"}
_FORMATS |= {"flac": "flac", "ogg": "ogg"}
_OPTIONS = {
    "protocol_whitelist": "none",
    "codec_whitelist": "none",
    "max_streams": "32",
    # How much ffmpeg may read, in bytes and microseconds, for facts that the header does not contain.
    "probesize": "32768",
    "analyzeduration": "0",
}
# PyAV 18, the last version for Python 3.11, stops at tags that are not UTF-8 without this option; 19 does
# not.
_TAGS: dict[str, Any] = {"metadata_errors": "ignore"} if av.__version__.startswith("18.") else {}
_BUFFER_BYTES = 32 * 1024
_US_PER_MS = 1000
_FROM_START, _FROM_HERE = 0, 1


class NothingReadableError(Exception):
    """The demuxer finds nothing readable in the file."""


class SeekableFile:
    """The file object for ffmpeg: `size` bytes, read through `read_at`."""

    def __init__(self, size: int, read_at: ReadAt) -> None:
        self._size = size
        self._read_at = read_at
        self._offset = 0

    def read(self, length: int) -> bytes:
        """Return the next bytes; zeros for image or sound data, which is not used."""
        length = max(0, min(length, self._size - self._offset))
        # ffmpeg reads header fields through its buffer. Larger reads are content.
        found = bytes(length) if length > _BUFFER_BYTES else self._read_at(self._offset, length)
        self._offset += len(found)
        return found

    def seek(self, offset: int, whence: int = _FROM_START) -> int:
        """Move like `io.RawIOBase.seek`; return the new offset."""
        base = {_FROM_START: 0, _FROM_HERE: self._offset}.get(whence, self._size)
        self._offset = max(0, base + offset)
        return self._offset

    def tell(self) -> int:
        """Return the offset in the file."""
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
    # The image on a song's cover is also a video stream.
    videos = [each for each in opened.streams.video if not each.disposition & Disposition.attached_pic]
    if videos:
        # A stream with a codec that ffmpeg does not support lacks these attributes.
        width, height = (getattr(videos[0], side, 0) or None for side in ("width", "height"))
        return {"kind": "video", "duration_ms": duration_ms, "width": width, "height": height}
    if opened.streams.audio:
        return {"kind": "audio", "duration_ms": duration_ms, "width": None, "height": None}
    raise NothingReadableError("neither video nor audio")


def main(container: str, size: int) -> None:
    """Read one header, and print the result for the parent."""
    apply_limits()
    try:
        send_to_parent("found", demux(container, SeekableFile(size, read_from_parent)))
    except NothingReadableError as exc:
        send_to_parent("none", str(exc))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
