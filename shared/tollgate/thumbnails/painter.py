"""`python -m tollgate.thumbnails.painter EXTENSION BYTES`: the process in which a result is decoded.

Pillow reads images, PyAV (ffmpeg) videos and sounds; each is told the one format that the file's first bytes
say. See `probing/child.py` for what keeps the process in: here it decodes, so it has more memory and time.
"""

import sys
from base64 import b64encode
from importlib import import_module
from typing import BinaryIO

from tollgate.probing.child import Limits, RangedFile, ask, buffered, confine, say
from tollgate.thumbnails import frames, images, waves

# Two images of `MAX_PIXELS` in RGBA, and the decoder: half of what the function has.
LIMITS = Limits(memory_bytes=1024 * 1024 * 1024, cpu_s=40)
# What the libraries import when a file first needs it: by then nothing can be opened any more.
_NEEDED_LATER = (
    "PIL.AvifImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.MpoImagePlugin",
    "PIL.PngImagePlugin",
    "PIL.WebPImagePlugin",
    "PIL.TiffImagePlugin",
    "PIL.ImageCms",
    "av.audio.codeccontext",
    "av.audio.format",
    "av.audio.frame",
    "av.audio.layout",
    "av.audio.plane",
    "av.audio.stream",
    "av.subtitles.codeccontext",
    "av.subtitles.stream",
    "av.video.codeccontext",
    "av.video.frame",
    "av.video.plane",
    "av.video.reformatter",
    "av.video.stream",
    "xml.etree.ElementTree",
)


def paint(extension: str, file: BinaryIO) -> bytes:
    """Return the thumbnail of a file whose first bytes are those of `extension`. Raises `CannotDrawError`."""
    try:
        return _painted(extension, file)
    except images.CannotDrawError:
        raise
    # The boundary: whatever a broken file does to a library is one answer.
    except Exception as exc:
        raise images.CannotDrawError(type(exc).__name__) from exc


def _painted(extension: str, file: BinaryIO) -> bytes:
    if extension in images.FORMATS:
        return images.image_thumbnail(extension, file)
    try:
        return frames.video_thumbnail(extension, file)
    # What begins like a video may hold a sound alone, and what begins like a sound a cover.
    except frames.NoVideoError:
        file.seek(0)
        return waves.audio_thumbnail(extension, file)


def main(extension: str, size: int) -> None:
    """Draw the thumbnail of one file."""
    for module in _NEEDED_LATER:
        import_module(module)
    confine(LIMITS)
    try:
        data = paint(extension, buffered(RangedFile(size, ask)))
    except images.CannotDrawError as exc:
        say("found", {"none": str(exc)})
        return
    say("found", {"image": b64encode(data).decode()})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
