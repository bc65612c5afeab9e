"""`python -m tollgate.thumbnails.painter EXTENSION BYTES`: the process in which a result is decoded.

Pillow reads images, and PyAV (ffmpeg) reads videos and sounds. Each may read only the format that the file's
first bytes show. `probing/child.py` limits the process; because it decodes, it has more memory and time.
"""

import sys
from base64 import b64encode
from importlib import import_module
from typing import BinaryIO

from tollgate.probing.child import Limits, RangedFile, ask, buffered, confine, say
from tollgate.thumbnails import frames, images, waves

# Two images of `MAX_PIXELS` in RGBA, and the decoder: half of the function's memory.
LIMITS = Limits(memory_bytes=1024 * 1024 * 1024, cpu_s=40)
# Modules that the libraries import when a file first needs them; by then nothing can be opened.
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
    """Return the thumbnail of a file that starts like `extension`. Raises `CannotDrawError`."""
    try:
        return _painted(extension, file)
    except images.CannotDrawError:
        raise
    # The boundary: any error of a library for a broken file has the same result.
    except Exception as exc:
        raise images.CannotDrawError(type(exc).__name__) from exc


def _painted(extension: str, file: BinaryIO) -> bytes:
    if extension in images.FORMATS:
        return images.image_thumbnail(extension, file)
    try:
        return frames.video_thumbnail(extension, file)
    # A file that begins like a video may have only sound, and a sound may have a cover.
    except frames.NoVideoError:
        file.seek(0)
        return waves.audio_thumbnail(extension, file)


def main(extension: str, size: int) -> None:
    """Draw the thumbnail of one file, and print it for the parent."""
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
