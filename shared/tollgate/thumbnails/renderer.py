"""`python -m tollgate.thumbnails.renderer EXTENSION BYTES`: the process in which a result is decoded.

Pillow reads images, and PyAV (ffmpeg) reads videos and sounds. Each may read only the format that the file's
first bytes show. `probing/child.py` limits the process; because it decodes, it has more memory and time.
"""

import sys
from base64 import b64encode
from importlib import import_module
from typing import BinaryIO

from tollgate.probing.child import (
    Limits,
    RangedFile,
    apply_limits,
    buffered,
    read_from_parent,
    send_to_parent,
)
from tollgate.thumbnails import images

# Two images of `MAX_PIXELS` in RGBA, and the decoder: half of the function's memory.
LIMITS = Limits(memory_bytes=1024 * 1024 * 1024, cpu_s=40)
# Modules that the libraries import when a file first needs them; by then nothing can be opened. An image does
# not need ffmpeg, whose import would be a third of its CPU.
_FOR_IMAGES = (
    "PIL.AvifImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.MpoImagePlugin",
    "PIL.PngImagePlugin",
    "PIL.WebPImagePlugin",
    "PIL.TiffImagePlugin",
    "PIL.ImageCms",
    "xml.etree.ElementTree",
)
_FOR_RECORDINGS = (
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
    "PIL.WebPImagePlugin",
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
    "tollgate.thumbnails.frames",
    "tollgate.thumbnails.waveform",
)


def render(extension: str, file: BinaryIO) -> bytes:
    """Return the thumbnail of a file that starts like `extension`. Raises `NotDecodableError`."""
    try:
        return _render(extension, file)
    except images.NotDecodableError:
        raise
    # The boundary: any error of a library for a broken file has the same result.
    except Exception as exc:
        raise images.NotDecodableError(type(exc).__name__) from exc


def _render(extension: str, file: BinaryIO) -> bytes:
    if extension in images.FORMATS:
        return images.image_thumbnail(extension, file)
    # `main` has imported them.
    from tollgate.thumbnails import frames, waveform  # noqa: PLC0415

    try:
        return frames.video_thumbnail(extension, file)
    # A file that begins like a video may have only sound, and a sound may have a cover.
    except frames.NoVideoError:
        file.seek(0)
        return waveform.audio_thumbnail(extension, file)


def main(extension: str, size: int) -> None:
    """Draw the thumbnail of one file, and print it for the parent."""
    for module in _FOR_IMAGES if extension in images.FORMATS else _FOR_RECORDINGS:
        import_module(module)
    apply_limits(LIMITS)
    try:
        data = render(extension, buffered(RangedFile(size, read_from_parent)))
    except images.NotDecodableError as exc:
        send_to_parent("found", {"none": str(exc)})
        return
    send_to_parent("found", {"image": b64encode(data).decode()})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
