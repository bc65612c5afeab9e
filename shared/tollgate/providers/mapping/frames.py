"""The media for a video: frames by role, and references. Pure.

Splits `imageWithRoles`, `imageUrls` and `generationType` (docs/contract.md#vid-d, #vid-e, #vid-p) into
`firstFrame`, `lastFrame`, and references in `imageUrls`.
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

    Raises `CannotMapError` for more than two frames.
    """
    images = values.get("imageWithRoles", [])
    named = {image["role"]: image["url"] for image in images if image.get("role") in FRAMES}
    references = [image["url"] for image in images if image.get("role") == "reference_image"]
    unnamed = [*values.get("imageUrls", []), *(image["url"] for image in images if "role" not in image)]
    if values.get("generationType") == "frame":
        free = [role for role in FRAMES if role not in named]
        if len(unnamed) > len(free):
            raise CannotMapError(f"{len(unnamed)} images, but only {len(free)} frames are left")
        named |= dict(zip(free, unnamed, strict=False))
    else:
        references = [*unnamed, *references]
    return {
        **_without(values, "imageWithRoles", "imageUrls", "generationType"),
        **{FRAME_FIELDS[role]: url for role, url in named.items()},
        **({"imageUrls": references} if references else {}),
    }


def frames_or_references(values: Values) -> Values:
    """Return the values of `by_role`, for a provider that supports either frames or references.

    Raises `CannotMapError` for both together.
    """
    found = by_role(values)
    if "firstFrame" in found and any(found.get(name) for name in REFERENCES):
        raise CannotMapError("frames and references together")
    return found


def by_order(values: Values) -> Values:
    """Return `values` with all images as frames: the first image is the first frame, the second the last.

    Raises `CannotMapError` for more than two images.
    """
    first, last = frames(values)
    found = {"firstFrame": first, "lastFrame": last}
    return {
        **_without(values, "imageWithRoles", "imageUrls"),
        **{name: url for name, url in found.items() if url is not None},
    }


def shaped_by_its_image(values: Values) -> Values:
    """Return `values` without the shape of a video that starts from an image, which is ignored (VID-J)."""
    return _without(values, "aspectRatio") if values.get("imageUrls") else values


def few_references(values: Values, most: int) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` for more than `most` reference images and videos."""
    count = sum(len(values.get(name, [])) for name in ("referenceImageUrls", "referenceVideoUrls"))
    if count > most:
        raise CannotMapError(f"{count} references")
    return values


def source(values: Values) -> str:
    """Return the kind of a video's source: `image` (frames), `reference`, or only `text`.

    For frames and references together it is `image`, whose table has no target for references.
    """
    if "firstFrame" in values:
        return "image"
    return "reference" if any(values.get(name) for name in REFERENCES) else "text"


def _without(values: Values, *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
