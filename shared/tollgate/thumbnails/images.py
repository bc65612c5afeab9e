"""Scales images down. Runs in the decoding process (`renderer.py`)."""

import io
from typing import BinaryIO

from PIL import AvifImagePlugin, Image, ImageOps

from tollgate.thumbnails.response import MAX_BYTES

# Twice the width of a card in the gallery, for screens with two pixels a point.
MAX_SIDE_PX = 512
# 8K and square, 280 MB of RGBA: larger than the results of any model.
MAX_PIXELS = 70_000_000
FORMATS = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP", "gif": "GIF", "avif": "AVIF"}
# From good to poor; only noise needs more than the first.
_QUALITIES = (80, 60, 40, 20)
_WIDE_GREYS = ("I", "I;16", "I;16L", "I;16B", "I;16N")
_WITH_ALPHA = ("RGBA", "LA", "PA", "La", "RGBa")
_GREY_STEPS = 256


class NotDecodableError(Exception):
    """The file cannot be decoded, or is too large to be decoded."""


def image_thumbnail(extension: str, file: BinaryIO) -> bytes:
    """Return the thumbnail of an image, or of the first image in an animation."""
    # The process may start no threads; `check_pixels` replaces Pillow's own limit.
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(file, formats=[FORMATS[extension]]) as image:
        check_pixels(*image.size)
        # JPEG is decoded at down to an eighth of its size, if that is enough.
        image.draft("RGB", (MAX_SIDE_PX, MAX_SIDE_PX))
        return as_webp(ImageOps.exif_transpose(_plain(image)))


def check_pixels(width: int, height: int) -> None:
    """Raise `NotDecodableError` for an image without pixels, or with more than `MAX_PIXELS`."""
    if not 0 < width * height <= MAX_PIXELS:
        raise NotDecodableError("pixels")


def as_webp(image: Image.Image) -> bytes:
    """Return an image of mode `RGB` or `RGBA` as WebP of at most `MAX_BYTES`; scales `image` in place."""
    image.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX), Image.Resampling.LANCZOS)
    while True:
        for quality in _QUALITIES:
            found = io.BytesIO()
            image.save(found, "WEBP", quality=quality, method=4)
            if found.tell() <= MAX_BYTES:
                return found.getvalue()
        # Only noise in the transparency, which WebP stores exactly, gets here. One pixel is 68 bytes, so this
        # ends.
        image.thumbnail((max(1, image.width // 2), max(1, image.height // 2)))


def _plain(image: Image.Image) -> Image.Image:
    """Return an image of any mode as RGB, or as RGBA if it has transparency; its orientation stays."""
    if image.mode in _WIDE_GREYS:
        # 16 bits: Pillow would cut the values at 255 instead of scaling them.
        return image.point(lambda value: value / _GREY_STEPS).convert("L").convert("RGB")
    if image.mode in _WITH_ALPHA or "transparency" in image.info:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    return image if image.mode == "RGB" else image.convert("RGB")
