"""The media that a video is made from: frames by role, and references. Pure.

Takes `imageWithRoles`, `imageUrls` and `generationType` apart (docs/contract.md#vid-d, #vid-e, #vid-p)
into `firstFrame`, `lastFrame` and `imageUrls`, which are references then.
"""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.images import CannotMapError, frames

FRAMES = ("first_frame", "last_frame")
FRAME_FIELDS = {"first_frame": "firstFrame", "last_frame": "lastFrame"}
REFERENCES = ("imageUrls", "videoUrls", "audioUrls")

Values = Mapping[str, Any]


def by_role(values: Values) -> Values:
    """Return `values` with images as frames and references, by their roles and by `generationType`.

    Raises `CannotMapError` for more frames than a video has.
    """
    images = values.get("imageWithRoles", [])
    named = {image["role"]: image["url"] for image in images if image.get("role") in FRAMES}
    references = [image["url"] for image in images if image.get("role") == "reference_image"]
    unnamed = [*values.get("imageUrls", []), *(image["url"] for image in images if "role" not in image)]
    if values.get("generationType") == "frame":
        free = [role for role in FRAMES if role not in named]
        if len(unnamed) > len(free):
            raise CannotMapError(f"{len(unnamed)} images, where {len(free)} frames are left")
        named |= dict(zip(free, unnamed, strict=False))
    else:
        references = [*unnamed, *references]
    return {
        **_without(values, "imageWithRoles", "imageUrls", "generationType"),
        **{FRAME_FIELDS[role]: url for role, url in named.items()},
        **({"imageUrls": references} if references else {}),
    }


def frames_or_references(values: Values) -> Values:
    """Return `values` as `by_role` does, for a provider that takes frames or references, never both.

    Raises `CannotMapError` for both.
    """
    found = by_role(values)
    if "firstFrame" in found and any(found.get(name) for name in REFERENCES):
        raise CannotMapError("frames and references together")
    return found


def by_order(values: Values) -> Values:
    """Return `values` with all images as frames: the first image is the first frame, the second the last.

    Raises `CannotMapError` for more images than two.
    """
    first, last = frames(values)
    found = {"firstFrame": first, "lastFrame": last}
    return {
        **_without(values, "imageWithRoles", "imageUrls"),
        **{name: url for name, url in found.items() if url is not None},
    }


def shaped_by_its_image(values: Values) -> Values:
    """Take out the shape of a video that starts from an image, where the contract ignores it (VID-J)."""
    return _without(values, "aspectRatio") if values.get("imageUrls") else values


def few_references(values: Values, most: int) -> Values:
    """Return `values`, which name at most `most` images and videos as references together.

    Raises `CannotMapError` for more.
    """
    count = sum(len(values.get(name, [])) for name in ("referenceImageUrls", "referenceVideoUrls"))
    if count > most:
        raise CannotMapError(f"{count} references")
    return values


def source(values: Values) -> str:
    """Return what a video is made from: `image` (frames), `reference` or `text` alone.

    For frames and references together it is `image`, whose words have none for a reference.
    """
    if "firstFrame" in values:
        return "image"
    return "reference" if any(values.get(name) for name in REFERENCES) else "text"


def _without(values: Values, *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
