"""xAI's images and videos (docs/providers/xai.md).

`POST /v1/images/generations` and `/v1/images/edits` respond with the image's URL when it is done. `POST
/v1/videos/generations` responds with a request id, which is polled at `GET /v1/videos/{id}`.
"""

from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import Url, images, needed, one, videos
from local.simulator.wire import text

_URL, _INLINE = "url", "b64_json"


class Image(BaseModel):
    """An image by URL."""

    model_config = ConfigDict(extra="forbid")

    url: Url
    type: Literal["image_url"] | None = None


_IMAGE: dict[str, Any] = {
    "aspect_ratio": one("1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9"),
    "n": one(1),
    "response_format": one(_URL, _INLINE),
}
_IMAGE_2: dict[str, Any] = {
    **_IMAGE,
    "quality": one("low", "medium", "high"),
    "resolution": one("1k", "2k"),
}
_FILM: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16", "1:1", "3:2", "2:3"),
    "duration": one(*range(1, 16)),
    "resolution": one("480p", "720p", "1080p"),
    "image": Image,
}
_EDITED = {"image": needed(Image)}
_GENERATIONS = {
    "grok-imagine-image": images(**_IMAGE),
    "grok-imagine-image-2.0": images(**_IMAGE_2),
}
_EDITS = {
    "grok-imagine-image": images(**_IMAGE, **_EDITED),
    "grok-imagine-image-2.0": images(**_IMAGE_2, **_EDITED),
}
_VIDEOS = {
    "grok-imagine-video": videos(**_FILM),
    "grok-imagine-video-1.5": videos(**_FILM, reference_images=list[Image]),
}
_PROMPT_BYTES, _REFERENCES_S = 4_096, 10
_INVALID = "Client specified an invalid argument"

# xAI's charge (https://docs.x.ai/developers/cost-tracking).
COST = {"cost_in_usd_ticks": 200_000_000}


def _read_image(request: Request, body: dict[str, Any]) -> table.Asked:
    asked = table.in_body(request, body)
    return replace(asked, is_inline=body.get("response_format") == _INLINE)


def _read_video(request: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    """Read a video, unless it exceeds the prompt's limit in bytes or a limit that involves several fields."""
    is_long = len(text(body.get("prompt")).encode()) > _PROMPT_BYTES
    references, duration = body.get("reference_images"), body.get("duration")
    has_several = isinstance(references, list) and len(references) > 1
    if is_long or (has_several and isinstance(duration, int) and duration > _REFERENCES_S):
        return table.Refused(table.INVALID, "The prompt or the duration is too long.")
    return table.in_body(request, body)


def _image(shown: table.Shown) -> table.Answer:
    form = shown.given.get("response_format", _URL)
    if shown.state is JobState.FAILED:
        return table.Refused(500, "Internal error")
    if not shown.is_done:
        return {"data": [{form: None, "respect_moderation": False}]}
    data = [{form: file, "respect_moderation": True} for file in shown.inline or shown.urls]
    return {"data": data, "usage": COST}


def _video(shown: table.Shown) -> table.Answer:
    if shown.state in table.WAITING:
        return JSONResponse({"status": "pending", "progress": shown.progress}, 202)
    if shown.state is JobState.FAILED:
        return {"status": "failed", "error": {"code": "internal_error", "message": "Generation failed"}}
    if not shown.is_done:
        return table.Refused(table.BAD_REQUEST, "Generated video rejected by content moderation.")
    # Without a status, which its clients accept.
    return {"video": {"url": shown.urls[0], "respect_moderation": True}, "usage": COST}


def _error(refused: table.Refused) -> Response:
    code = _INVALID if refused.status in (table.BAD_REQUEST, table.INVALID) else "Some error"
    return JSONResponse({"code": code, "error": refused.said}, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        submits=(
            table.Submit("/v1/images/generations", _GENERATIONS, _read_image, _image, at_once=True),
            table.Submit("/v1/images/edits", _EDITS, _read_image, _image, at_once=True),
            table.Submit(
                "/v1/videos/generations", _VIDEOS, _read_video, lambda shown: {"request_id": shown.job.id}
            ),
        ),
        looks=(table.Look("/v1/videos/{id}", _video),),
    )
)
"""The media routes. Their prefix and `/v1` are the adapter's base URL."""
