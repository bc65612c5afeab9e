"""OpenAI's images: `POST /v1/images/generations` and `/v1/images/edits` (docs/providers/openai.md).

Edits are accepted as JSON, with images by URL. The response contains the image, so it is sent when the image
is done.
"""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import Url, images, needed, one


class Reference(BaseModel):
    """An image of an edit, by URL."""

    model_config = ConfigDict(extra="forbid")

    image_url: Url


_FIELDS: dict[str, Any] = {
    "size": needed(str),
    "quality": one("low", "medium", "high"),
    "output_format": one("png", "jpeg", "webp"),
    "output_compression": Annotated[int, Field(ge=0, le=100)],
    "moderation": one("auto", "low"),
}
_BLOCKED = "moderation_blocked"
_NAMES = ("gpt-image-2", "gpt-image-2.5-flare", "gpt-image-2.5-sunburst")
_GENERATIONS = {name: images(**_FIELDS) for name in _NAMES}
_EDITS = {name: images(**_FIELDS, images=needed(list[Reference])) for name in _NAMES}
_ERRORS: dict[int | str, tuple[str, str]] = {
    400: ("invalid_request_error", "invalid_value"),
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    _BLOCKED: ("image_generation_user_error", _BLOCKED),
}
_OTHER_ERROR = ("server_error", "server_error")


def _read(request: Request, body: dict[str, Any]) -> table.Asked:
    return replace(table.in_body(request, body), is_inline=True)


def _image(shown: table.Shown) -> table.Answer:
    if shown.state is JobState.REJECTED:
        return table.Refused(400, "Your request was rejected by the safety system.", code=_BLOCKED)
    if shown.state is JobState.FAILED:
        return table.Refused(500, "The server had an error while processing your request.")
    data = [{"b64_json": file} for file in shown.inline]
    return {"created": shown.job.created_ms // MS_PER_S, "data": data}


def _error(refused: table.Refused) -> Response:
    status = table.BAD_REQUEST if refused.status == table.INVALID else refused.status
    kind, code = _ERRORS.get(refused.code or status, _OTHER_ERROR)
    error = {"message": refused.said, "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status)


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        submits=(
            table.Submit("/v1/images/generations", _GENERATIONS, _read, _image, at_once=True),
            table.Submit("/v1/images/edits", _EDITS, _read, _image, at_once=True),
        ),
    )
)
"""The image routes. Their prefix and `/v1` are the adapter's base URL."""
