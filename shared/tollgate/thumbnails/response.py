"""The response of `draw_thumbnail`, as JSON. Pure."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

# In base64, far below the limit of a Lambda response.
MAX_BYTES = 40_000
# The key of a response that has only the reason why the file could not be reached now.
RETRY_REASON = "again"


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small image in WebP, of at most `MAX_BYTES`."""

    data: bytes

    def body(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"image": b64encode(self.data).decode()}


@dataclass(frozen=True, slots=True)
class NoThumbnail:
    """The file has no thumbnail, permanently: it cannot be decoded, or is too large to be decoded."""

    reason: str

    def body(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"none": self.reason}


DrawResult: TypeAlias = Thumbnail | NoThumbnail


def read_result(body: Mapping[str, Any]) -> DrawResult:
    """Return the result from a response. Raises `KeyError` for other JSON, `ValueError` for other images."""
    if "none" in body:
        return NoThumbnail(body["none"])
    data = b64decode(body["image"], validate=True)
    # It is served from Tollgate's address, so only an image is accepted, even if the drawing process fails.
    if len(data) > MAX_BYTES or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError(f"no thumbnail: {len(data)} bytes")
    return Thumbnail(data)
