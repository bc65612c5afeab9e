"""Prompt and media in one array, `content`, in the format of ModelArk and MiniMax.

Source: docs/providers/ark.md and docs/providers/minimax.md.
"""

from typing import Any

from local.simulator.providers.inputs import Prompt, Url, Urls

MEDIA: dict[str, Any] = {
    "prompt": Prompt,
    "first_frame": Url,
    "last_frame": Url,
    "reference_image": Urls,
    "reference_video": Urls,
    "reference_audio": Urls,
}
"""The fields of an input that `flat` can find in the array."""
_FRAMES = ("first_frame", "last_frame")


def flat(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body with the parts of its `content` as fields, by role. The prompt is `prompt`.

    Raises `ValueError` for an invalid part, and for frames and references together.
    """
    fields = {name: value for name, value in body.items() if name != "content"}
    parts = body.get("content")
    for part in parts if isinstance(parts, list) else [None]:
        match part:
            case {"type": "text", "text": str(text)}:
                fields["prompt"] = text
            case (
                {"type": "image_url", "image_url": {"url": str(url)}, "role": str(role)}
                | {"type": "video_url", "video_url": {"url": str(url)}, "role": str(role)}
                | {"type": "audio_url", "audio_url": {"url": str(url)}, "role": str(role)}
            ):
                _add(fields, role, url)
            case _:
                raise ValueError("content: a part that cannot be read")
    if any(name in fields for name in _FRAMES) and any(name.startswith("reference_") for name in fields):
        raise ValueError("content: frames and references together")
    return fields


def _add(fields: dict[str, Any], role: str, url: str) -> None:
    if role in _FRAMES:
        fields[role] = url
    else:
        fields.setdefault(role, []).append(url)
