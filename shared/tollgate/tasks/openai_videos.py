"""OpenAI's video requests as creates, and tasks as its videos. Pure.

Source: https://platform.openai.com/docs/api-reference/videos and `openai.types.Video`.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.profiles.base import IMAGES
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.tasks.openai_media import (
    image_input,
    properties_of,
    shape_input,
    short_side,
    texts,
    typed,
)

STATUSES = {
    "not_started": "queued",
    "running": "in_progress",
    "finished": "completed",
    "failed": "failed",
    "expired": "failed",
}
_OWN = ("model", "seconds", "size", "input_reference", "user")
_ALL = 100
_SECONDS = re.compile(r"\d{1,5}", re.ASCII)
SENT_NAMES = {"duration": "seconds", "aspectRatio": "size", IMAGES: "input_reference"}
"""The names of input fields in a request."""
_NEAR = Fraction(5, 100)
"""OpenAI's 1792x1024 is within 2 % of 16:9."""


def read_video_request(body: Mapping[str, Any], catalog: Catalog, *, is_form: bool = False) -> dict[str, Any]:
    """Return the create for a request; create checks the values of the input.

    Raises `InvalidInputError`.
    """
    model = catalog.find_by_name(body["model"]) if isinstance(body.get("model"), str) else None
    if isinstance(model, Model) and model.media_type != "VIDEO":
        raise InvalidInputError([Problem("/model", model.use, "GET /api/v1/catalog?type=VIDEO")])
    properties = properties_of(model) if isinstance(model, Model) else {}
    given = {name: value for name, value in body.items() if name not in _OWN and value is not None}
    given = typed(given, properties) if is_form else given
    values = {**_asked(body, properties), **given}
    if isinstance(model, Model) and body.get("input_reference") is not None:
        values |= _reference(body["input_reference"], model.id, properties)
    return {"model": body["model"], "input": values} if "model" in body else {"input": values}


def video(task: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a task as OpenAI's video; it repeats fields of `body`, the request."""
    asked = body or {}
    shown: dict[str, Any] = {
        "id": task["taskId"],
        "object": "video",
        "model": task["model"],
        "status": STATUSES[task["status"]],
        "progress": _ALL if task["status"] == "finished" else task.get("progress", 0),
        "created_at": _seconds(task["createdAt"]),
        "completed_at": _seconds(task.get("finishedAt")),
        "expires_at": _seconds(task.get("expiresAt")),
        "error": task.get("error"),
        "seconds": str(asked.get("seconds", "")),
        "size": str(asked.get("size", "")),
        "prompt": asked.get("prompt"),
    }
    return shown


def _asked(body: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return length and shape in the model's values; a resolution if the model has the named one."""
    values: dict[str, Any] = {}
    seconds = body.get("seconds")
    if seconds is not None:
        is_number = isinstance(seconds, str) and _SECONDS.fullmatch(seconds) is not None
        values["duration"] = int(seconds) if is_number else seconds
    if body.get("size") is not None:
        values |= shape_input(body["size"], properties, _NEAR)
    named = f"{short_side(body.get('size'))}p"
    if named in properties.get("resolution", {}).get("enum", ()):
        values["resolution"] = named
    return values


def _reference(sent: Any, model_id: str, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the field with the source image: a file, or OpenAI's `{image_url}` or `{file_id}`."""
    if isinstance(sent, Mapping):
        sent = sent.get("image_url") or sent.get("file_id")
    images = texts(sent)
    if images is None:
        allowed = "a file, a https URL, a data URI or a file's id"
        raise InvalidInputError([Problem("/input_reference", f"Must be {allowed}.")])
    placed = image_input(images, model_id, properties)
    if isinstance(placed, Problem):
        raise InvalidInputError([Problem("/input_reference", placed.message)])
    return placed


def _seconds(time: str | None) -> int | None:
    """Return an ISO 8601 time in epoch seconds."""
    return None if time is None else int(datetime.fromisoformat(time).timestamp())
