"""Images: a gradient with bright discs, the prompt, and provider and model in a corner."""

import io
import random
from dataclasses import dataclass
from typing import ClassVar

from PIL import Image, ImageDraw

from local.simulator.media.lettering import font, wrap
from local.simulator.media.palette import palette

_DISCS = 3
_PNG_COMPRESS_LEVEL = 3  # the level that costs a third of the default's time for a tenth more bytes
_RIM_SHADE = 181  # of 255: the radial gradient's shade at the sides
_WHITE = (255, 255, 255)
_SHADOW = (0, 0, 0)


FORMATS = {"png": "png", "jpeg": "jpg", "webp": "webp"}
"""The file types of an image, with the suffix of each."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image of `width_px` by `height_px` with `caption` and, in the corner, `label`.

    `form` is a key of `FORMATS`. JPEG and WebP have a `quality`, 0 to 100.
    """

    width_px: int
    height_px: int
    caption: str
    label: str
    seed: int
    is_cutout: bool = False
    """Whether only a disc in the middle is opaque."""
    form: str = "png"
    quality: int = 80
    kind: ClassVar[str] = "image"

    @property
    def suffix(self) -> str:
        """Return the file name's suffix."""
        return FORMATS[self.form]

    @property
    def content_type(self) -> str:
        """Return the media type."""
        return f"image/{self.form}"

    def render(self) -> bytes:
        """Return the image's bytes."""
        image = self._background()
        self._write(image)
        if self.is_cutout:
            image.putalpha(
                Image.eval(
                    Image.radial_gradient("L").resize(image.size), lambda far: 255 * (far < _RIM_SHADE)
                )
            )
        encoded = io.BytesIO()
        options = {"compress_level": _PNG_COMPRESS_LEVEL} if self.form == "png" else {"quality": self.quality}
        image.save(encoded, self.form, **options)
        return encoded.getvalue()

    def _background(self) -> Image.Image:
        size = (self.width_px, self.height_px)
        dark, bright, accent = palette(self.seed)
        slope = Image.linear_gradient("L").rotate(self.seed % 4 * 90).resize(size)
        image = Image.composite(Image.new("RGB", size, bright), Image.new("RGB", size, dark), slope)
        chance = random.Random(self.seed)  # noqa: S311 - a look, not a secret
        for _ in range(_DISCS):
            radius_px = min(size) // chance.randint(2, 5)
            place = (
                chance.randrange(self.width_px) - radius_px,
                chance.randrange(self.height_px) - radius_px,
            )
            image.paste(accent, place, _disc().resize((2 * radius_px, 2 * radius_px)))
        return image

    def _write(self, image: Image.Image) -> None:
        draw = ImageDraw.Draw(image)
        text_px = max(10, min(image.size) // 18)
        margin_px = max(4, min(image.size) // 16)
        lettering = font(text_px)
        lines = wrap(self.caption, lettering, image.width - 2 * margin_px)
        top_px = (image.height - len(lines) * text_px * 5 // 4) // 2
        shadow_px = max(1, text_px // 16)
        for offset_px, colour in ((shadow_px, _SHADOW), (0, _WHITE)):
            place = (margin_px + offset_px, top_px + offset_px)
            draw.multiline_text(place, "\n".join(lines), fill=colour, font=lettering, spacing=text_px // 4)
        corner = (margin_px, image.height - margin_px)
        draw.text(corner, self.label, fill=_WHITE, font=font(max(9, text_px // 2)), anchor="lb")


def _disc() -> Image.Image:
    """Return a mask that fades from the middle of a disc to its rim."""
    gradient = Image.radial_gradient("L")
    return gradient.point([max(0, 255 - 255 * shade // _RIM_SHADE) for shade in range(256)])
