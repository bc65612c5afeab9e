"""The images that previews of links show, served under `/previews`. `local/deploy/previews.py` draws them.

A model's image has its price on it, and an operator can change prices without a build. So the name of the
file has a digest of the text. If no image has the model's current text, its page names the kind's image.
"""

import hashlib
from dataclasses import astuple, dataclass
from typing import ClassVar

from tollgate.catalog.loader import AnyModel
from tollgate.reference import preview_store
from tollgate.reference.preview_store import SUFFIX
from tollgate.reference.prices import Headline, headline

KINDS = {"IMAGE": "Image", "VIDEO": "Video", "MUSIC": "Music", "3D": "3D", "TEXT": "Text"}
DIGEST_CHARS = 10


@dataclass(frozen=True, slots=True)
class Preview:
    """The text of an image: `chip` and `above` over the title, `strong` and `below` under it."""

    # In the ratio of 1.91 to 1 that readers of `og:image` expect.
    WIDTH_PX: ClassVar[int] = 1200
    HEIGHT_PX: ClassVar[int] = 630

    stem: str
    chip: str
    above: str
    title: str
    strong: str
    below: str

    @property
    def file(self) -> str:
        """Return the name of the file, which changes with the text."""
        text = "\n".join(astuple(self))
        return f"{self.stem}-{hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARS]}{SUFFIX}"

    @property
    def text(self) -> str:
        """Return the text for readers who do not see the image."""
        parts = (self.title, f"{self.chip} {self.above}".strip(), f"{self.strong} {self.below}".strip())
        return " · ".join(part for part in parts if part)


_PROMISE = {"strong": "Exact prices", "below": "with one key and one balance"}
SERVICE = Preview("tollgate", "", "", "One API for images, video, music and text", **_PROMISE)
"""The image of all pages that are not about one model."""


def of_kind(media_type: str) -> Preview:
    """Return the image for the models of a kind, such as `VIDEO`."""
    name = KINDS[media_type]
    return Preview(media_type.lower(), "", "", f"{name} models", **_PROMISE)


def of_model(model: AnyModel) -> Preview:
    """Return the image of a model: its kind, vendor, name and price."""
    price = headline(model)
    return Preview(
        model.id, KINDS[model.media_type], f"by {model.vendor}", model.name, _amounts(price), price.about
    )


def shown(model: AnyModel | None) -> Preview:
    """Return the image for a page about a model, or about none.

    A model has its own image if the build drew it, and otherwise the image of its kind.
    """
    if model is None:
        return SERVICE
    exact = of_model(model)
    return exact if (preview_store.FOLDER / exact.file).is_file() else of_kind(model.media_type)


def _amounts(price: Headline) -> str:
    return " · ".join(f"{amount.shown} {amount.what}".rstrip() for amount in price.amounts)
