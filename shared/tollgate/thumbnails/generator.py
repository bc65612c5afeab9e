"""Generates the thumbnail of one stored result. Runs only in `draw_thumbnail`."""

import time
from dataclasses import dataclass

from tollgate.artifacts.sniff import HEAD_BYTES, media_type
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.facts import ProbeCode, ProbeError
from tollgate.probing.remote import Bounds, RemoteFile, remote_file
from tollgate.probing.tracks import UnreadableMediaError, run_parser
from tollgate.thumbnails.response import MAX_BYTES, DrawResult, NoThumbnail, read_result

# For everything: reading, the start of Python, decoding.
TIMEOUT_S = 40.0
# Of a video, only the beginning and the index are read; of an image or a sound, the whole file.
BOUNDS = Bounds(block_bytes=1024 * 1024, max_blocks=128)
# The thumbnail in base64, and the JSON around it.
_MAX_LINE_BYTES = MAX_BYTES * 4 // 3 + 1024
_RENDERER = "tollgate.thumbnails.renderer"

# Codes that describe the file itself, so that another attempt would fail too.
_PERMANENT = (ProbeCode.HEADER_TOO_LARGE, ProbeCode.NO_RANGES, ProbeCode.EMPTY, ProbeCode.TOO_SLOW)


@dataclass(frozen=True, slots=True)
class ThumbnailGenerator:
    """Generates thumbnails through the guarded client, for at most `timeout_s` seconds a file."""

    outbound: Outbound
    timeout_s: float = TIMEOUT_S

    def generate(self, url: str) -> DrawResult:
        """Return the thumbnail of the file at `url`, or the reason why it has none.

        Raises `ProbeError` if the file cannot be reached now, and `ParserFaultError`.
        """
        deadline = time.monotonic() + self.timeout_s
        try:
            with remote_file(self.outbound, url, self.timeout_s, BOUNDS) as file:
                return _result(file, deadline)
        except ProbeError as exc:
            if exc.code not in _PERMANENT:
                raise
            return NoThumbnail(exc.code)


def _result(file: RemoteFile, deadline: float) -> DrawResult:
    # By its bytes, never by its name.
    kind = media_type(file.read_at(0, HEAD_BYTES))
    if kind is None or kind.file_type == "3d":
        return NoThumbnail("type")
    try:
        return read_result(
            run_parser(_RENDERER, kind.extension, file, deadline - time.monotonic(), _MAX_LINE_BYTES)
        )
    # The process died because of the file, or was ended at a limit.
    except UnreadableMediaError:
        return NoThumbnail("unreadable")
