"""OpenAI's images: `POST /v1/images/generations` and `/v1/images/edits` (docs/providers/openai.md).

Edits are accepted as JSON, with images by URL. The response contains the image, so it is sent when the image
is done.
"""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.inline import inline_files
from local.simulator.jobs import JobState
from local.simulator.providers.desk import BAD_REQUEST, INVALID, Refused, body_of, taken
from local.simulator.providers.inputs import Url, images, needed, one
from local.simulator.wire import api_key


class Reference(BaseModel):
    """An image of an edit, by URL."""

    model_config = ConfigDict(extra="forbid")

    image_url: Url


_FIELDS: dict[str, Any] = {"size": needed(str), "quality": one("low", "medium", "high")}
_NAMES = ("gpt-image-2", "gpt-image-2.5-flare", "gpt-image-2.5-sunburst")
_GENERATIONS = {name: images(**_FIELDS) for name in _NAMES}
_EDITS = {name: images(**_FIELDS, images=needed(list[Reference])) for name in _NAMES}
_ERRORS = {
    400: ("invalid_request_error", "invalid_value"),
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}
_OTHER_ERROR = ("server_error", "server_error")


def router(engine: Engine) -> APIRouter:
    """Return the image routes. Their prefix and `/v1` are the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/v1/images/{kind}")
    async def images(kind: Literal["generations", "edits"], request: Request) -> Response:
        given = await body_of(request)
        models = _GENERATIONS if kind == "generations" else _EDITS
        job = await taken(engine, api_key(request, "Bearer"), given.pop("model", ""), given, models)
        if isinstance(job, Refused):
            return _error(BAD_REQUEST if job.status == INVALID else job.status, job.why)
        verdict = await engine.finish(job)
        if verdict is JobState.REJECTED:
            code = ("image_generation_user_error", "moderation_blocked")
            return _error(400, "Your request was rejected by the safety system.", code)
        if verdict is JobState.FAILED:
            return _error(500, "The server had an error while processing your request.")
        data = [{"b64_json": file} for file in await inline_files(job)]
        return JSONResponse({"created": job.created_ms // MS_PER_S, "data": data})

    return routes


def _error(status: int, message: str, named: tuple[str, str] | None = None) -> Response:
    kind, code = named or _ERRORS.get(status, _OTHER_ERROR)
    error = {"message": message, "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status)
