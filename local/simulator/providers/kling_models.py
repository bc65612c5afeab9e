"""The inputs of Kling's models (docs/providers/kling.md)."""

from collections.abc import Mapping
from typing import Any

from local.simulator.providers.inputs import ModelInput, Prompt, Url, needed, one, videos

_RATIOS = one("16:9", "9:16", "1:1")
_LENGTHS = one(*range(3, 16))
_OPTIONS: dict[str, Any] = {"options": needed(dict[str, Any])}
_VIDEO: dict[str, Any] = {
    "resolution": one("720p", "1080p", "4k"),
    "aspect_ratio": _RATIOS,
    "duration": _LENGTHS,
    "audio": one("native", "original", "off"),
    **_OPTIONS,
}
_FRAMES: dict[str, Any] = {"first_frame": needed(Url), "last_frame": Url}
_MOTION: dict[str, Any] = {
    "prompt": Prompt,
    "image": needed(Url),
    "video": needed(Url),
    "character_orientation": needed(one("image", "video")),
    "resolution": one("720p", "1080p"),
    **_OPTIONS,
}
CURRENT: Mapping[str, type[ModelInput]] = {
    **{f"text-to-video/{name}": videos(**_VIDEO) for name in ("kling-3.0", "kling-3.0-turbo")},
    **{f"image-to-video/{name}": videos(**_VIDEO, **_FRAMES) for name in ("kling-3.0", "kling-3.0-turbo")},
    "motion-control/kling-3.0": videos(**_MOTION),
}
"""By path."""
_CLASSIC: dict[str, Any] = {
    "mode": one("std", "pro", "4k"),
    "duration": needed(one("5", "10")),
    "sound": one("on", "off"),
    "external_task_id": str,
    "watermark_info": dict[str, bool],
    "callback_url": Url,
}
CLASSIC: Mapping[str, type[ModelInput]] = {
    "text2video/kling-v2-6": videos(**_CLASSIC, aspect_ratio=_RATIOS),
    "image2video/kling-v2-6": videos(**_CLASSIC, image=needed(Url), image_tail=Url),
}
"""By path and name."""


def of_current(body: dict[str, Any]) -> dict[str, Any]:
    """Return the input in a body of the newer generation: its contents by type, and its settings."""
    contents = body.get("contents", [])
    found = [entry for entry in contents if isinstance(entry, dict)] if isinstance(contents, list) else []
    said = {str(entry.get("type")): entry.get("url", entry.get("text")) for entry in found}
    settings = body.get("settings")
    others = {name: value for name, value in body.items() if name not in ("contents", "settings")}
    return {**others, **said, **(settings if isinstance(settings, dict) else {})}


def external_id(given: dict[str, Any]) -> str | None:
    """Return the caller's id of the job, from a request of either generation."""
    options = given.get("options")
    found = (options if isinstance(options, dict) else given).get("external_task_id")
    return found if isinstance(found, str) else None
