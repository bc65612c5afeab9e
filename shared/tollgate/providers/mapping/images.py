"""Reference images in the format of most providers: a first frame, and optionally a last one. Pure."""

from collections.abc import Mapping
from typing import Any

FRAMES = 2


class CannotMapError(Exception):
    """This provider does not support this input; another may."""


def frames(values: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the first and the last frame of an input, by role or by order.

    Raises `CannotMapError` for more than two images, because these are references and not frames.
    """
    roles = {image["role"]: image["url"] for image in values.get("imageWithRoles", [])}
    if roles:
        return roles.get("first_frame"), roles.get("last_frame")
    urls: list[str] = values.get("imageUrls", [])
    if len(urls) > FRAMES:
        raise CannotMapError(f"{len(urls)} images, but at most two frames")
    first = urls[0] if urls else None
    last = urls[1] if len(urls) == FRAMES else None
    return first, last
