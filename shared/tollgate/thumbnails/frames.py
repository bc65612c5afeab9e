"""Chooses the poster frame of a video. Runs in the decoding process (`renderer.py`)."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

import av
from av.container.input import InputContainer
from av.stream import Disposition
from PIL import Image, ImageStat

from tollgate.thumbnails.images import MAX_SIDE_PX, NotDecodableError, as_webp, check_pixels

FORMATS = {"mp4": "mov", "mov": "mov", "webm": "matroska", "m4a": "mov", "mp3": "mp3", "wav": "wav",
           "flac": "flac", "ogg": "ogg"}  # fmt: skip
# The codecs of providers' results, of the 300 decoders in ffmpeg.
DECODERS = frozenset({"h264", "hevc", "vp8", "vp9", "libdav1d", "av1", "mpeg4", "mjpeg", "prores"})
OPTIONS = {"protocol_whitelist": "none", "max_streams": "32"}
# PyAV 18, the last version for Python 3.11, stops at tags that are not UTF-8 without this option; 19 does
# not.
_TAGS: dict[str, Any] = {"metadata_errors": "ignore"} if av.__version__.startswith("18.") else {}
# Two seconds of most videos, because many begin black or with a fade.
_MAX_FRAMES = 48
# The standard deviation of the brightness above which a frame is not plain.
_FLAT = 12.0
_BUFFER_BYTES = 256 * 1024


class NoVideoError(NotDecodableError):
    """The recording has no video."""


def open_container(extension: str, file: BinaryIO) -> InputContainer:
    """Open a recording as the one format that its first bytes show. Raises the errors of `av.open`."""
    container: InputContainer = av.open(
        file, "r", format=FORMATS[extension], container_options=OPTIONS, buffer_size=_BUFFER_BYTES, **_TAGS
    )
    return container


def video_thumbnail(extension: str, file: BinaryIO) -> bytes:
    """Return a frame that is not plain, or the best of the first frames. Raises `NoVideoError`."""
    best, seen = None, -1.0
    with open_container(extension, file) as container:
        for frame in islice(_frames(container), _MAX_FRAMES):
            deviation = ImageStat.Stat(frame.convert("L")).stddev[0]
            if deviation > seen:
                best, seen = frame, deviation
            if deviation > _FLAT:
                break
    if best is None:
        raise NotDecodableError("no frame")
    return as_webp(best)


def _frames(container: InputContainer) -> Iterator[Image.Image]:
    """Yield the frames of the first video, upright and small."""
    # The image on a song's cover is also a video stream.
    videos = [one for one in container.streams.video if not one.disposition & Disposition.attached_pic]
    if not videos:
        raise NoVideoError("no video")
    stream = videos[0]
    codec = stream.codec_context
    # ffmpeg has no context for a codec that it does not support.
    if codec is None or codec.codec.name not in DECODERS:
        raise NotDecodableError("codec")
    check_pixels(codec.width, codec.height)
    # The process may start no threads.
    codec.thread_count = 1
    codec.options = {"threads": "1"}
    for frame in container.decode(stream):
        # The frame may differ from the header.
        check_pixels(frame.width, frame.height)
        scale = min(1.0, MAX_SIDE_PX / max(frame.width, frame.height))
        width, height = (max(1, round(side * scale)) for side in (frame.width, frame.height))
        small = frame.reformat(width, height, format="rgb24")
        image: Image.Image = small.to_image()  # type: ignore[no-untyped-call]
        yield image.rotate(frame.rotation, expand=True) if frame.rotation else image
