"""xAI's images and videos (docs/providers/xai.md).

`POST /v1/images/generations` and `/v1/images/edits` respond with the image's URL when it is done. `POST
/v1/videos/generations` responds with a request id, which is polled at `GET /v1/videos/{id}`.
"""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.inline import inline_files
from local.simulator.jobs import JobState
from local.simulator.providers.desk import BAD_REQUEST, INVALID, Refused, body_of, own_job, taken
from local.simulator.providers.inputs import Url, images, needed, one, videos
from local.simulator.wire import api_key, text

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


def router(engine: Engine) -> APIRouter:
    """Return the media routes. Their prefix and `/v1` are the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/v1/images/{kind}")
    async def images(kind: Literal["generations", "edits"], request: Request) -> Response:
        given = await body_of(request)
        form = _INLINE if given.get("response_format") == _INLINE else _URL
        models = _GENERATIONS if kind == "generations" else _EDITS
        job = await taken(engine, api_key(request, "Bearer"), given.pop("model", ""), given, models)
        if isinstance(job, Refused):
            return _error(job)
        verdict = await engine.finish(job)
        if verdict is JobState.FAILED:
            return _error(Refused(500, "Internal error"))
        if verdict is not JobState.SUCCEEDED:
            return JSONResponse({"data": [{form: None, "respect_moderation": False}]})
        files = await inline_files(job) if form == _INLINE else engine.file_urls(request, job)
        data = [{form: file, "respect_moderation": True} for file in files]
        return JSONResponse({"data": data, "usage": COST})

    @routes.post("/v1/videos/generations")
    async def videos(request: Request) -> Response:
        given = await body_of(request)
        if _is_too_much(given):
            return _error(Refused(INVALID, "The prompt or the duration is too long."))
        job = await taken(engine, api_key(request, "Bearer"), given.pop("model", ""), given, _VIDEOS)
        return _error(job) if isinstance(job, Refused) else JSONResponse({"request_id": job.id})

    @routes.get("/v1/videos/{request_id}")
    async def video(request_id: str, request: Request) -> Response:
        return _video(engine, request, request_id)

    return routes


def _is_too_much(given: dict[str, Any]) -> bool:
    """Return whether a video exceeds a limit that involves several fields, or the prompt's limit in bytes."""
    is_long = len(text(given.get("prompt")).encode()) > _PROMPT_BYTES
    references, duration = given.get("reference_images"), given.get("duration")
    has_several = isinstance(references, list) and len(references) > 1
    return is_long or (has_several and isinstance(duration, int) and duration > _REFERENCES_S)


def _video(engine: Engine, request: Request, request_id: str) -> Response:
    job = own_job(engine, api_key(request, "Bearer"), request_id)
    if job is None:
        return _error(Refused(404, "Not found"))
    state = engine.poll(job)
    if state in (JobState.QUEUED, JobState.RUNNING):
        return JSONResponse({"status": "pending", "progress": engine.progress(job)}, 202)
    if state is JobState.FAILED:
        error = {"code": "internal_error", "message": "Generation failed"}
        return JSONResponse({"status": "failed", "error": error})
    if state is not JobState.SUCCEEDED:
        return _error(Refused(BAD_REQUEST, "Generated video rejected by content moderation."))
    # Without a status, which its clients accept.
    video = {"url": engine.file_urls(request, job)[0], "respect_moderation": True}
    return JSONResponse({"video": video, "usage": COST})


def _error(refused: Refused) -> Response:
    code = _INVALID if refused.status in (BAD_REQUEST, INVALID) else "Some error"
    return JSONResponse({"code": code, "error": refused.why}, refused.status)
