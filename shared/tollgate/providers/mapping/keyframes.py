"""The images of a FLUX 3 video: one is the first frame, two are both ends, more are keyframes. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.images import FRAMES

FRAMES_PER_S = 24

Values = Mapping[str, Any]


def keyframes_or_frames(values: Values) -> str:
    """Return the kind of FLUX 3's job for an input: text, image, frames, keyframes or extend."""
    if "videoUrl" in values:
        return "extend"
    count = len(values.get("imageUrls", []))
    return ("text", "image", "frames")[count] if count <= FRAMES else "keyframes"


def placed(values: Values) -> Values:
    """Return `values` with three or more images spread evenly, each with the number of its frame.

    FLUX 3: `keyframes[{frame_index, image_url}]`, `frame_index = round(i * duration * 24 / (n - 1))`
    (docs/providers/fal.md).
    """
    urls = values.get("imageUrls", [])
    if len(urls) <= FRAMES:
        return values
    last, end = len(urls) - 1, values["duration"] * FRAMES_PER_S
    # Rounded half up, in integers.
    keyframes = [
        {"frame_index": (2 * index * end + last) // (2 * last), "image_url": url}
        for index, url in enumerate(urls)
    ]
    return {**values, "imageUrls": keyframes}
