"""The files of the images of link previews, which the build drew.

This module imports no prices, because the function that serves the files needs none.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "preview_files"
SUFFIX = ".png"
_NAME = re.compile(rf"[a-z0-9][a-z0-9.-]{{0,99}}{re.escape(SUFFIX)}")


def content(name: str) -> bytes | None:
    """Return the bytes of an image by its file name, or `None` if there is no such image."""
    path = FOLDER / name
    return path.read_bytes() if _NAME.fullmatch(name) and path.is_file() else None
