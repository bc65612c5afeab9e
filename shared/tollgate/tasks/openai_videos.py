"""OpenAI's video requests as creates, remixes of videos, lists, and tasks as its videos. Pure.

Source: https://platform.openai.com/docs/api-reference/videos and `openai.types.Video`.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.profiles.base import IMAGES
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.query import QueryReader, id_of
from tollgate.kit.problems import Problem
from tollgate.tasks.models import Task, TaskStatus
from tollgate.tasks.openai_media import (
    AUTO,
    Properties,
    create_of,
    image_input,
    properties_of,
    shape_input,
    short_side,
    texts,
    typed,
)
from tollgate.tasks.query import VideoQuery

STATUSES = {
    "not_started": "queued",
    "running": "in_progress",
    "finished": "completed",
    "failed": "failed",
    "expired": "failed",
}
_OWN = ("model", "seconds", "size", "input_reference", "user", "safety_identifier", "provider")
_ALL = 100
_SECONDS = re.compile(r"\d{1,5}", re.ASCII)
SENT_NAMES = {"duration": "seconds", "aspectRatio": "size", IMAGES: "input_reference"}
"""The names of input fields in a request."""
_NEAR = Fraction(5, 100)
"""OpenAI's 1792x1024 is within 2 % of 16:9."""
DEFAULT_PAGE, MAX_PAGE = 20, 100
ORDERS = ("asc", "desc")
VARIANTS = ("video",)
"""The variants of a video's content."""
_SHAPES = ("aspectRatio", "size")
_SHAPE = re.compile(r"(\d{1,2}):(\d{1,2})", re.ASCII)
_LINES = re.compile(r"(\d{3,4})p", re.ASCII)
_NAMED_LINES = {"2k": 1_440, "4k": 2_160}
_REMIXED = ("editVideoUrl", "videoUrls", "referenceVideoUrls")
"""The fields of models whose result is a changed video, in this order. Other fields continue a video."""
_STORED = re.compile(r"/media/(task_[0-9A-Z]{26})/", re.ASCII)
"""The address of a task's file (artifacts/store.py)."""
_MODE = "videoMode"
_TRANSFORM = "transform"
_KEPT = ("resolution", "duration", *_SHAPES)
"""The inputs that a remix takes over from its video, if its model has them."""


def read_video_query(query: Mapping[str, str]) -> VideoQuery:
    """Read the query of a list of videos. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, ("after", "limit", "order"))
    limit = reader.limit(DEFAULT_PAGE, MAX_PAGE)
    after = reader.read("after", id_of("task"), None, "Must be the id of a video.")
    order = reader.one_of("order", ORDERS, "desc")
    reader.finish()
    return VideoQuery(limit, after, order == "asc")


def read_content_query(query: Mapping[str, str]) -> None:
    """Read the query of a video's content. Raises `InvalidInputError` with every problem.

    OpenAI also has the variants `thumbnail` and `spritesheet`. A client would store our video as this image.
    """
    reader = QueryReader(query, ("variant",))
    reader.one_of("variant", VARIANTS, None)
    reader.finish()


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
    return create_of(body, values, is_form=is_form)


def read_remix(
    body: Mapping[str, Any], source: Task, catalog: Catalog, *, is_form: bool = False
) -> dict[str, Any]:
    """Return the create for a remix of a finished video, by its own model or by the body's `model`.

    `body` has the `prompt`, and may have fields of the model's input. Raises `InvalidInputError` if the model
    takes no video that it changes.
    """
    if source.private:
        raise InvalidInputError(
            [Problem("", "A private video cannot be remixed. Send its file to another model.")]
        )
    name = body.get("model", source.model)
    model = catalog.find_by_name(name) if isinstance(name, str) else None
    properties = properties_of(model) if isinstance(model, Model) else {}
    if isinstance(model, Model) and _video_field(properties) is None:
        usable = [one.id for one in catalog.media_models() if _video_field(properties_of(one))]
        message = f"{model.id} cannot change a video. Name another model in the field model."
        raise InvalidInputError([Problem("/model", message, usable)])
    asked = read_video_request({**body, "model": name}, catalog, is_form=is_form)
    return {**asked, "input": {**_source_input(source, properties), **asked["input"]}}


def _video_field(properties: Properties) -> str | None:
    """Return the field with the video that a model changes."""
    if _TRANSFORM in properties.get(_MODE, {}).get("enum", ()):
        return "videoUrl"
    return next((name for name in _REMIXED if name in properties), None)


def _source_input(source: Task, properties: Properties) -> dict[str, Any]:
    """Return the input fields that a remix has from its video."""
    field = _video_field(properties)
    if field is None:
        return {}
    video_url = source.files[0].url
    if field == "videoUrl":
        # In this mode the result has the shape and length of the video.
        shape = {"aspectRatio": AUTO} if AUTO in properties.get("aspectRatio", {}).get("enum", ()) else {}
        return {_MODE: _TRANSFORM, field: video_url, **shape}
    kept = {
        name: source.values[name]
        for name in _KEPT
        if source.values.get(name) in properties.get(name, {}).get("enum", ())
    }
    return {**kept, field: [video_url] if properties[field].get("type") == "array" else video_url}


def video(task: Task) -> dict[str, Any]:
    """Return a task as OpenAI's video."""
    failed = task.error
    duration = task.values.get("duration")
    shown: dict[str, Any] = {
        "id": task.task_id,
        "object": "video",
        "model": task.model,
        "status": STATUSES[task.status],
        "progress": _ALL if task.status is TaskStatus.FINISHED else task.progress or 0,
        "created_at": task.created_at_ms // MS_PER_S,
        "completed_at": _seconds(task.finished_at_ms),
        "expires_at": _seconds(task.expires_at_ms),
        "error": None if failed is None else {"code": failed.code, "message": failed.message},
        "seconds": str(duration) if duration else None,
        "size": _size(task.values),
        "prompt": str(task.values.get("prompt") or ""),
        "remixed_from_video_id": _source_id(task.values),
    }
    return shown


def video_list(tasks: Sequence[Task], *, has_more: bool) -> dict[str, Any]:
    """Return OpenAI's list of videos."""
    return {
        "object": "list",
        "data": [video(task) for task in tasks],
        "first_id": tasks[0].task_id if tasks else None,
        "last_id": tasks[-1].task_id if tasks else None,
        "has_more": has_more,
    }


def _size(values: Mapping[str, Any]) -> str | None:
    """Return the size `WIDTHxHEIGHT` of an input; `None` if the input does not determine it."""
    shapes = (_SHAPE.fullmatch(str(values.get(name))) for name in _SHAPES)
    shape = next((found for found in shapes if found), None)
    short = _lines(values.get("resolution"))
    if shape is None or not short:
        return None
    width, height = int(shape[1]), int(shape[2])
    return "x".join(str(side * short // min(width, height)) for side in (width, height))


def _lines(resolution: object) -> int:
    """Return the pixels of the shorter side of a resolution such as `720p`; 0 for another name."""
    lines = _LINES.fullmatch(str(resolution))
    return int(lines[1]) if lines else _NAMED_LINES.get(str(resolution).lower(), 0)


def _source_id(values: Mapping[str, Any]) -> str | None:
    """Return the task whose stored video an input changes, by the address of its file."""
    fields = [values.get(name) for name in (*_REMIXED, "videoUrl")]
    urls = [url for field in fields for url in (field if isinstance(field, list) else [field])]
    found = (_STORED.search(url) for url in urls if isinstance(url, str))
    return next((each[1] for each in found if each), None)


def _asked(body: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return length, shape and resolution in the model's values. Raises `InvalidInputError`."""
    values: dict[str, Any] = {}
    seconds = body.get("seconds")
    if seconds is not None:
        is_number = isinstance(seconds, str) and _SECONDS.fullmatch(seconds) is not None
        values["duration"] = int(seconds) if is_number else seconds
    if body.get("size") is not None:
        values |= shape_input(body["size"], properties, _NEAR)
    if body.get("resolution") is None:
        values |= _resolution(body.get("size"), properties)
    return values


def _resolution(size: Any, properties: Properties) -> dict[str, Any]:
    """Return the smallest resolution that has the shorter side of `WIDTHxHEIGHT`, or nearly has it.

    The result is empty if the size has no pixels, or if the model has no resolutions. Raises
    `InvalidInputError` if all of them are smaller, because the customer would get a smaller video.
    """
    short = short_side(size)
    lines = {name: _lines(name) for name in properties.get("resolution", {}).get("enum", ())}
    if not short or not any(lines.values()):
        return {}
    fitting = [name for name in lines if lines[name] * (1 + _NEAR) >= short]
    if not fitting:
        most = max(lines.values())
        allowed = f"at most {most} pixels on the shorter side"
        raise InvalidInputError([Problem("/size", f"Must have {allowed}, has {short}.", allowed)])
    return {"resolution": min(fitting, key=lines.__getitem__)}


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


def _seconds(time_ms: int | None) -> int | None:
    return None if time_ms is None else time_ms // MS_PER_S
