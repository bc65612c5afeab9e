"""Text on images: wraps it to a width and finds its font."""

from functools import lru_cache

from PIL import ImageFont

MAX_SHOWN_CHARS = 400
MAX_LINES = 8
ELLIPSIS = "…"

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=16)
def font(size_px: int) -> Font:
    """Return Pillow's built-in font in `size_px`."""
    return ImageFont.load_default(size_px)


def wrap(text: str, lettering: Font, width_px: int, max_lines: int = MAX_LINES) -> list[str]:
    """Break the first `MAX_SHOWN_CHARS` of `text` into lines of at most `width_px`.

    If they exceed `max_lines`, the rest is omitted and the last line ends in an ellipsis.
    """
    lines: list[str] = []
    for word in text[:MAX_SHOWN_CHARS].split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and lettering.getlength(longer) <= width_px:
            lines[-1] = longer
        else:
            lines.extend(_pieces(word, lettering, width_px))
    cut = len(lines) > max_lines or len(text) > MAX_SHOWN_CHARS
    lines = lines[:max_lines]
    return [*lines[:-1], _shortened(lines[-1] + ELLIPSIS, lettering, width_px)] if cut and lines else lines


def _pieces(word: str, lettering: Font, width_px: int) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and lettering.getlength(pieces[-1] + character) > width_px:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _shortened(line: str, lettering: Font, width_px: int) -> str:
    while len(line) > 1 and lettering.getlength(line) > width_px:
        line = line[:-2].rstrip() + ELLIPSIS
    return line
