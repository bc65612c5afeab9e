"""Kling 4.0 at all providers: jobs, tags of media in prompts, scenes and start images as text. Pure.

A prompt refers to the customer's media by `@Image1`, `@Video1` and `@Element1`, in the order of their fields
(docs/contract.md#vid-l). Providers spell these tags in two ways. Kling 4.0 has no field for scenes or for an
image that starts a video with references; clients say both in the prompt (docs/providers/wavespeed.md).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tollgate.providers.mapping.fields import Values
from tollgate.providers.mapping.images import CannotMapError

# The providers' variants, by `videoMode`.
KINDS: Mapping[str | None, str] = {
    None: "text",
    "start_end_frame": "image",
    "elements": "reference",
    "video_reference": "reference",
    "transform": "edit",
}
MAX_IMAGES = 10
_TAG = re.compile(r"@(image|video|element)_?(\d{1,2})\b", re.IGNORECASE)

Tag = Callable[[str, int], str]


def capital(kind: str, number: int) -> str:
    """Return a tag as fal and WaveSpeed spell it, for example `@Image1`."""
    return f"@{kind.capitalize()}{number}"


def lower_case(kind: str, number: int) -> str:
    """Return a tag as MuAPI, kie and Replicate spell it, for example `@image_1`."""
    return f"@{kind}_{number}"


def kind_of(values: Values) -> str:
    """Return the variant for an input."""
    return KINDS[values.get("videoMode")]


def tagged(prompt: str, tag: Tag, elements: Mapping[int, str] | None = None) -> str:
    """Return the prompt with tags in a provider's spelling; `elements` replaces the tags of elements."""

    def spelled(match: re.Match[str]) -> str:
        kind, number = match[1].lower(), int(match[2])
        other = (elements or {}).get(number) if kind == "element" else None
        return other or tag(kind, number)

    return _TAG.sub(spelled, prompt)


def without_ignored(values: Values) -> Values:
    """Return `values` without fields that the contract ignores (VID-L), and without a shape of auto."""
    ignored = set()
    if kind_of(values) == "edit" or "multiShots" in values:
        # As long as its source, or as its scenes.
        ignored.add("duration")
    if "videoUrl" not in values:
        # There is no source video with sound to keep.
        ignored.add("keepAudio")
    if values.get("aspectRatio") == "auto":
        ignored.add("aspectRatio")
    return {name: value for name, value in values.items() if name not in ignored}


def in_words(values: Values, tag: Tag, elements: Mapping[int, str] | None = None) -> Values:
    """Return `values` with scenes and the start image as sentences of the prompt, and tags in `tag`.

    `values` is the input before `without_ignored`.
    """
    said = without_ignored(values)
    shots: Sequence[Mapping[str, Any]] = said.get("multiShots", [])
    prompt = said.get("prompt") or "\n".join(
        f"Shot {number} ({shot['duration']} seconds): {shot['prompt']}"
        for number, shot in enumerate(shots, 1)
    )
    prompt = tagged(prompt, tag, elements)
    if "startImageIndex" in said:
        prompt += f"\nThe video starts exactly with {tag('image', said['startImageIndex'])}."
    spoken = {"prompt": prompt} if prompt else {}
    if shots:
        spoken["duration"] = sum(shot["duration"] for shot in shots)
    named = ("prompt", "multiShots", "startImageIndex")
    return {name: value for name, value in said.items() if name not in named} | spoken


def few_images(images: Sequence[str]) -> list[str]:
    """Return the images of a job. Raises `CannotMapError` for more than Kling accepts."""
    if len(images) > MAX_IMAGES:
        raise CannotMapError(f"{len(images)} images, but at most {MAX_IMAGES} are possible")
    return list(images)
