"""PixVerse's platform (docs/providers/pixverse.md).

`POST /openapi/v2/video/{text|img|transition|fusion|extend}/generate`, `POST /openapi/v2/image/upload`, `GET
/openapi/v2/video/result/{video_id}`. A request with a repeated `Ai-trace-id` receives the first response. A
prompt's direction to refuse its content applies to the video, not to its images.
"""

import secrets
from collections import OrderedDict
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.providers import table
from local.simulator.providers.inputs import ModelInput, needed, one, videos
from local.simulator.wire import form_fields

MAX_REMEMBERED = 20_000
"""Stored images and trace ids. The oldest are deleted."""
_key = table.key_in("api-key")
_STATUSES = table.words(9, 5, 1, 8, rejected=7)
_BAD_KEY, _BAD_PARAMETER, _BAD_IMAGE, _NOT_FOUND, _UNKNOWN = 10001, 400017, 400032, 500008, 99999
_CODES = {
    200: _BAD_PARAMETER,
    401: _BAD_KEY,
    402: 500090,
    403: 500020,
    422: _BAD_PARAMETER,
    429: 500044,
    503: 500069,
}
"""PixVerse's codes of directed statuses."""
_IMAGE_IDS = ("img_id", "first_frame_img", "last_frame_img")
_V6: dict[str, Any] = {
    "model": needed(one("v6")),
    "duration": needed(one(*range(1, 16))),
    "quality": needed(one("360p", "540p", "720p", "1080p")),
    "seed": Annotated[int, Field(ge=0, le=2**31 - 1)],
    "generate_audio_switch": bool,
}
_RATIOS = one("16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9")
_CLIPS = {"generate_multi_clip_switch": bool}
_MODELS: dict[str, type[ModelInput]] = {
    "video/text/generate": videos(**_V6, **_CLIPS, aspect_ratio=needed(_RATIOS)),
    "video/img/generate": videos(**_V6, **_CLIPS, img_id=needed(int)),
    "video/transition/generate": videos(**_V6, first_frame_img=needed(int), last_frame_img=needed(int)),
    "video/fusion/generate": videos(
        **_V6,
        aspect_ratio=needed(_RATIOS),
        image_references=needed(Annotated[list[dict[str, Any]], Field(min_length=1, max_length=7)]),
    ),
    "video/extend/generate": videos(**_V6, source_video_id=needed(int)),
}


class _Memory:
    """The uploaded images, and the responses by trace id."""

    def __init__(self) -> None:
        self.images: OrderedDict[int, str] = OrderedDict()
        self.answers: OrderedDict[str, Response] = OrderedDict()

    def keep_image(self, url: str) -> int:
        """Store an image and return its number."""
        number = secrets.randbits(40)
        self.images[number] = url
        _bound(self.images)
        return number

    def keep_answer(self, trace_id: str, answer: Response) -> Response:
        """Store the response to a request and return it."""
        self.answers[trace_id] = answer
        _bound(self.answers)
        return answer

    def check(self, engine: Engine, _: str, asked: table.Asked) -> table.Refused | None:
        """Refuse missing images and videos, and references that the prompt does not mention."""
        given = asked.given
        references = given.get("image_references", [])
        numbers = [given[name] for name in _IMAGE_IDS if name in given]
        numbers += [reference.get("img_id") for reference in references]
        if any(number not in self.images for number in numbers):
            return table.Refused(200, "img_id", code=_BAD_IMAGE)
        if any(f"@{reference.get('ref_name')}" not in given["prompt"] for reference in references):
            return table.Refused(200, "ref_name")
        source = given.get("source_video_id")
        is_missing = source and engine.find(str(source)) is None
        return table.Refused(200, "source_video_id", code=_NOT_FOUND) if is_missing else None


def router(engine: Engine) -> APIRouter:
    """Return PixVerse's routes; `/openapi/v2` below their prefix is the adapter's base URL."""
    memory = _Memory()
    wire = table.Wire(
        key=_key,
        tells_bad_key=True,
        error=_error,
        error_in_200=lambda: table.Refused(200, code=_UNKNOWN),
        no_job=table.Refused(200, code=_NOT_FOUND),
        invalid=200,
        new_id=lambda: str(secrets.randbits(40)),
        check=memory.check,
        looks=(table.Look("/openapi/v2/video/result/{id}", _result),),
    )
    routes = table.router(wire)(engine)
    generate = table.submitting(
        engine,
        wire,
        table.Submit("", _MODELS, table.in_path("video/{kind}/generate"), _accepted),
    )

    @routes.post("/openapi/v2/video/{kind}/generate")
    async def generate_once(request: Request) -> Response:
        trace_id = request.headers.get("ai-trace-id", "")
        if answer := memory.answers.get(trace_id):
            return answer
        return memory.keep_answer(trace_id, await generate(request))

    @routes.post("/openapi/v2/image/upload")
    async def upload(request: Request) -> Response:
        if _key(request) is None:
            return _error(table.BAD_KEY)
        url = (await form_fields(request)).get("image_url", "")
        if not url.startswith("http"):
            return _error(table.Refused(200, "image_url", code=_BAD_IMAGE))
        return JSONResponse(_answer({"img_id": memory.keep_image(url), "img_url": url}))

    return routes


def _accepted(shown: table.Shown) -> dict[str, Any]:
    return _answer({"video_id": int(shown.job.id), "credits": 45})


def _result(shown: table.Shown) -> dict[str, Any]:
    job, url = shown.job, shown.urls[0] if shown.is_done else ""
    return _answer({"id": int(job.id), "status": _STATUSES[shown.state], "url": url, "prompt": job.prompt})


def _bound(entries: OrderedDict[Any, Any]) -> None:
    while len(entries) > MAX_REMEMBERED:
        entries.popitem(last=False)


def _answer(resp: dict[str, Any]) -> dict[str, Any]:
    return {"ErrCode": 0, "ErrMsg": "success", "Resp": resp}


def _error(refused: table.Refused) -> Response:
    status = 200 if refused is table.BAD_KEY else refused.status
    code = refused.code or _CODES.get(refused.status, _UNKNOWN)
    return JSONResponse({"ErrCode": code, "ErrMsg": refused.why or "refused", "Resp": {}}, status)
