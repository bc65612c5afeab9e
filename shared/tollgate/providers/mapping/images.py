"""Reference images as most providers want them: a first frame, perhaps a last one. Pure."""

from collections.abc import Mapping
from typing import Any

FRAMES = 2


class CannotMapError(Exception):
    """This provider has no words for this input; another may."""


def frames(values: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the first and the last frame that an input names by role or by order.

    Raises `CannotMapError` for more images than two, which are references and not frames.
    """
    roles = {image["role"]: image["url"] for image in values.get("imageWithRoles", [])}
    if roles:
        return roles.get("first_frame"), roles.get("last_frame")
    urls: list[str] = values.get("imageUrls", [])
    if len(urls) > FRAMES:
        raise CannotMapError(f"{len(urls)} images, where two frames are the most")
    first = urls[0] if urls else None
    last = urls[1] if len(urls) == FRAMES else None
    return first, last
