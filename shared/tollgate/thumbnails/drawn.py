"""What `draw_thumbnail` answers, as JSON. Pure."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

# Base64 of it fits into an answer of Lambda many times over.
MAX_BYTES = 40_000
# In place of an answer: why the file could not be reached now.
AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small image in WebP, of `MAX_BYTES` at most."""

    data: bytes

    def body(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"image": b64encode(self.data).decode()}


@dataclass(frozen=True, slots=True)
class NoThumbnail:
    """The file has none: it cannot be decoded, or is larger than what is decoded. It is never tried again."""

    reason: str

    def body(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"none": self.reason}


Drawn: TypeAlias = Thumbnail | NoThumbnail


def drawn(body: Mapping[str, Any]) -> Drawn:
    """Read such an answer. Raises `KeyError` for any other, and `ValueError` for what is no small WebP."""
    if "none" in body:
        return NoThumbnail(body["none"])
    data = b64decode(body["image"], validate=True)
    # It is served under our name: whatever went wrong with who drew it, nothing but an image gets there.
    if len(data) > MAX_BYTES or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError(f"no thumbnail: {len(data)} bytes")
    return Thumbnail(data)
