"""Draws the images that previews of links show: `python -m local.deploy.previews FOLDER`.

`sam build` (shared/Makefile) and `make run` run it. It draws one image for each model of the shipped
catalog, one for each kind and one for the service. The same catalog gives the same bytes.
"""

import sys
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageChops, ImageDraw

from local.simulator.media.lettering import font, wrap
from tollgate.catalog.loader import Catalog
from tollgate.reference.previews import KINDS, SERVICE, Preview, of_kind, of_model

GROUND, SHADE, BOX = (11, 35, 31), (18, 51, 45), (13, 110, 95)
WHITE, SOFT, ACCENT = (255, 255, 255), (176, 203, 196), (127, 230, 207)
COLOURS = 32
EVERY_PART = Preview("x", "Video", "by Tollgate", "Model", "$0.01", "a video")
SIZE_PX = (Preview.WIDTH_PX, Preview.HEIGHT_PX)
EDGE_PX = 80
WIDTH_PX = Preview.WIDTH_PX - 2 * EDGE_PX
# Sizes of titles in pixels with the number of lines, in the order in which they are tried.
TITLE_SIZES = ((104, 1), (92, 1), (80, 1), (80, 2), (64, 2))
LINE_HEIGHT = 1.15
TITLE_Y_PX, BELOW_Y_PX = 392, 552
# Pillow's font has one weight. A stroke around the letters makes another.
BOLD_PX = 2
# The mark as in `icon.svg`, on a field of this many units.
FIELD = 32
SMOOTHING = 4
Colour = tuple[int, int, int]
Line = tuple[float, float, float, float]
Place = tuple[float, float]


def build(folder: Path) -> list[Path]:
    """Write the images into `folder` and remove all other files there; return the images' paths."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    # A file is replaced only by a complete one, because a service may read it at any time. Each run has its
    # temporary folder, because another service may draw the same images.
    with TemporaryDirectory(dir=folder) as unfinished:
        for preview in previews():
            path = folder / preview.file
            drawn.append(path)
            # The name of an image changes with its text, so only another way of drawing changes an image.
            if path.exists() and path.stat().st_mtime > Path(__file__).stat().st_mtime:
                continue
            complete = Path(unfinished, path.name)
            complete.write_bytes(draw(preview))
            complete.replace(path)
    for old in {path for path in folder.iterdir() if path.is_file()} - set(drawn):
        old.unlink(missing_ok=True)
    return drawn


def previews() -> Iterator[Preview]:
    """Yield the text of each image."""
    yield SERVICE
    yield from map(of_kind, KINDS)
    catalog = Catalog.shipped()
    for model in catalog.all_models():
        yield of_model(model)
        # Announced prices too, so that the image is there on their first day.
        yield from (of_model(later) for _, later in catalog.later(model.id))


def draw(preview: Preview) -> bytes:
    """Return the PNG of an image."""
    content = BytesIO()
    _drawn(preview).quantize(palette=_palette(), dither=Image.Dither.NONE).save(content, "PNG")
    return content.getvalue()


def _drawn(preview: Preview) -> Image.Image:
    image = ground().copy()
    pen = ImageDraw.Draw(image)
    _title(pen, preview.title)
    if preview.chip:
        _above(pen, preview)
    _below(pen, preview)
    return image


@cache
def _palette() -> Image.Image:
    """Return an image with the palette of all images: they differ only in their words."""
    return _drawn(EVERY_PART).quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


@cache
def ground() -> Image.Image:
    """Return the part that all images have: the mark, small with its name, and large in the background."""
    image = Image.new("RGB", SIZE_PX, GROUND)
    gate, bars = _mark(820)
    image.paste(SHADE, (600, 30), ImageChops.lighter(gate, bars))
    gate, bars = _mark(84)
    box = Image.new("L", gate.size)
    ImageDraw.Draw(box).rounded_rectangle((0, 0, 83, 83), 24, fill=255)
    for colour, mask in ((BOX, box), (WHITE, gate), (ACCENT, bars)):
        image.paste(colour, (EDGE_PX, 66), mask)
    _write(ImageDraw.Draw(image), (EDGE_PX + 108, 108), "Tollgate", 48, WHITE, bold_px=1)
    return image


def _mark(size_px: int) -> tuple[Image.Image, Image.Image]:
    """Return the gate and its bars as masks, in the geometry of `icon.svg`."""
    gate = _strokes(size_px, 2.6, [(9, 14, 9, 24), (23, 14, 23, 24)], curve=(9, 7, 23, 21))
    return gate, _strokes(size_px, 2.2, [(16, 13, 16, 24), (9, 18.5, 23, 18.5)])


def _strokes(size_px: int, width: float, lines: list[Line], curve: Line | None = None) -> Image.Image:
    """Return a mask of lines with round ends, and of the upper half of an ellipse."""
    unit = size_px * SMOOTHING / FIELD
    mask = Image.new("L", (size_px * SMOOTHING, size_px * SMOOTHING))
    pen, thick = ImageDraw.Draw(mask), round(width * unit)
    for line in lines:
        x1, y1, x2, y2 = (each * unit for each in line)
        pen.line((x1, y1, x2, y2), fill=255, width=thick)
        for end in ((x1, y1), (x2, y2)):
            pen.circle(end, thick / 2, fill=255)
    if curve:
        # Pillow draws the width of an arc to the inside.
        left, top, right, bottom = (each * unit for each in curve)
        outside = (left - thick / 2, top - thick / 2, right + thick / 2, bottom + thick / 2)
        pen.arc(outside, 180, 360, fill=255, width=thick)
    return mask.resize((size_px, size_px), Image.Resampling.LANCZOS)


def _above(pen: ImageDraw.ImageDraw, preview: Preview) -> None:
    """Write the kind in a frame, and the vendor beside it."""
    top, bottom, padding = 218, 274, 24
    right = EDGE_PX + 2 * padding + font(34).getlength(preview.chip)
    pen.rounded_rectangle((EDGE_PX, top, right, bottom), 28, fill=BOX)
    middle = (top + bottom) / 2
    _write(pen, (EDGE_PX + padding, middle), preview.chip, 34, WHITE)
    above = _fitting(preview.above, 34, round(EDGE_PX + WIDTH_PX - right - padding))
    _write(pen, (right + padding, middle), above, 34, SOFT)


def _title(pen: ImageDraw.ImageDraw, text: str) -> None:
    """Write the title in the largest size that fits, rather small than in two lines."""
    width_px = WIDTH_PX - BOLD_PX
    for size_px, most in TITLE_SIZES:
        if len(wrap(text, font(size_px), width_px, most + 1)) <= most:
            break
    lines = wrap(text, font(size_px), width_px, most)
    for number, line in enumerate(lines):
        from_middle = (number - (len(lines) - 1) / 2) * size_px * LINE_HEIGHT
        _write(pen, (EDGE_PX, TITLE_Y_PX + from_middle), line, size_px, WHITE, bold_px=BOLD_PX)


def _below(pen: ImageDraw.ImageDraw, preview: Preview) -> None:
    """Write the line under the title."""
    size_px = 48
    strong = _fitting(preview.strong, size_px, WIDTH_PX * 3 // 4)
    right = EDGE_PX + font(size_px).getlength(strong) + size_px / 3
    _write(pen, (EDGE_PX, BELOW_Y_PX), strong, size_px, ACCENT, bold_px=1)
    below = _fitting(preview.below, 36, round(EDGE_PX + WIDTH_PX - right))
    _write(pen, (right, BELOW_Y_PX), below, 36, SOFT)


def _fitting(text: str, size_px: int, width_px: int) -> str:
    """Return a text of one line, shortened to a width."""
    return "".join(wrap(text, font(size_px), width_px, max_lines=1))


def _write(
    pen: ImageDraw.ImageDraw, at: Place, text: str, size_px: int, colour: Colour, *, bold_px: int = 0
) -> None:
    """Write a line, with the middle of its letters at the height of `at`."""
    pen.text(at, text, fill=colour, font=font(size_px), anchor="lm", stroke_width=bold_px)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
