"""PixVerse's platform (docs/providers/pixverse.md).

`POST /openapi/v2/video/{text|img|transition|fusion|extend}/generate`, `POST /openapi/v2/image/upload`, `GET
/openapi/v2/video/result/{video_id}`. A request with a repeated `Ai-trace-id` receives the first response. A
prompt's direction to refuse its content applies to the video, not to its images.
"""

import secrets
from collections import OrderedDict
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.jobs import Job, JobState
from local.simulator.providers.inputs import ModelInput, needed, one, problem_of, videos
from local.simulator.wire import form_fields, header_key, json_object, text

MAX_REMEMBERED = 20_000
"""Stored images and trace ids. The oldest are deleted."""
_KEY_HEADER = "api-key"
_STATUSES = {
    JobState.QUEUED: 9,
    JobState.RUNNING: 5,
    JobState.SUCCEEDED: 1,
    JobState.FAILED: 8,
    JobState.REJECTED: 7,
}
_BAD_KEY, _BAD_PARAMETER, _BAD_IMAGE, _NOT_FOUND, _UNKNOWN = 10001, 400017, 400032, 500008, 99999
_CODES = {401: _BAD_KEY, 402: 500090, 403: 500020, 422: _BAD_PARAMETER, 429: 500044, 503: 500069}
"""PixVerse's codes of directed statuses."""
_IMAGE_IDS = ("img_id", "first_frame_img", "last_frame_img")
_V6: dict[str, Any] = {
    "model": needed(one("v6")),
    "duration": needed(one(*range(1, 16))),
    "quality": needed(one("360p", "540p", "720p", "1080p")),
    "seed": Annotated[int, Field(ge=0, le=2**31 - 1)],
    "motion_mode": one("normal"),
    "generate_audio_switch": bool,
}
_RATIOS = one("16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9")
_CLIPS = {"generate_multi_clip_switch": bool}
_MODELS: dict[str, type[ModelInput]] = {
    "text": videos(**_V6, **_CLIPS, aspect_ratio=needed(_RATIOS)),
    "img": videos(**_V6, **_CLIPS, img_id=needed(int)),
    "transition": videos(**_V6, first_frame_img=needed(int), last_frame_img=needed(int)),
    "fusion": videos(
        **_V6,
        aspect_ratio=needed(_RATIOS),
        image_references=needed(Annotated[list[dict[str, Any]], Field(min_length=1, max_length=7)]),
    ),
    "extend": videos(**_V6, source_video_id=needed(int)),
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


def router(engine: Engine) -> APIRouter:
    """Return PixVerse's routes; `/openapi/v2` below their prefix is the adapter's base URL."""
    routes = APIRouter(prefix="/openapi/v2")
    memory = _Memory()

    @routes.post("/image/upload")
    async def upload(request: Request) -> Response:
        return await _upload(memory, request)

    @routes.post("/video/{kind}/generate")
    async def generate(kind: str, request: Request) -> Response:
        trace_id = request.headers.get("ai-trace-id", "")
        if answer := memory.answers.get(trace_id):
            return answer
        return memory.keep_answer(trace_id, await _generate(engine, memory, request, kind))

    @routes.get("/video/result/{video_id}")
    async def result(video_id: str, request: Request) -> Response:
        if header_key(request, _KEY_HEADER) is None:
            return _error(_BAD_KEY)
        job = engine.find(video_id)
        return _error(_NOT_FOUND) if job is None else _result(engine, request, job)

    return routes


async def _upload(memory: _Memory, request: Request) -> Response:
    if header_key(request, _KEY_HEADER) is None:
        return _error(_BAD_KEY)
    url = (await form_fields(request)).get("image_url", "")
    if not url.startswith("http"):
        return _error(_BAD_IMAGE, "image_url")
    return _answer({"img_id": memory.keep_image(url), "img_url": url})


async def _generate(engine: Engine, memory: _Memory, request: Request, kind: str) -> Response:
    key = header_key(request, _KEY_HEADER)
    if key is None:
        return _error(_BAD_KEY)
    if kind not in _MODELS:
        return JSONResponse({"detail": "Not Found"}, 404)
    given = await json_object(request) or {}
    visit = engine.receive(f"video/{kind}/generate", text(given.get("prompt")))
    asked = _input_of(visit, _MODELS[kind], given)
    if isinstance(asked, Response):
        return asked
    if missing := _missing(engine, memory, given):
        return missing
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", 1)
    job = await engine.accept(visit, str(secrets.randbits(40)), key, artifacts)
    return _answer({"video_id": int(job.id), "credits": 45})


def _input_of(visit: Visit, model: type[ModelInput], given: dict[str, Any]) -> ModelInput | Response:
    """Return the input, or the error response for an invalid input."""
    if visit.refused_status is not None:
        return _error(_CODES.get(visit.refused_status, _UNKNOWN), status=visit.refused_status)
    if visit.directions.error_in_200:
        return _error(_UNKNOWN)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        return _error(_BAD_PARAMETER, problem_of(error))


def _missing(engine: Engine, memory: _Memory, given: dict[str, Any]) -> Response | None:
    """Refuse missing images and videos, and references that the prompt does not mention."""
    references = given.get("image_references", [])
    numbers = [given[name] for name in _IMAGE_IDS if name in given]
    numbers += [reference.get("img_id") for reference in references]
    if any(number not in memory.images for number in numbers):
        return _error(_BAD_IMAGE, "img_id")
    if any(f"@{reference.get('ref_name')}" not in given["prompt"] for reference in references):
        return _error(_BAD_PARAMETER, "ref_name")
    source = given.get("source_video_id")
    return _error(_NOT_FOUND, "source_video_id") if source and engine.find(str(source)) is None else None


def _result(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.poll(job)
    url = engine.file_urls(request, job)[0] if state is JobState.SUCCEEDED else ""
    return _answer({"id": int(job.id), "status": _STATUSES[state], "url": url, "prompt": job.prompt})


def _bound(entries: OrderedDict[Any, Any]) -> None:
    while len(entries) > MAX_REMEMBERED:
        entries.popitem(last=False)


def _answer(resp: dict[str, Any]) -> Response:
    return JSONResponse({"ErrCode": 0, "ErrMsg": "success", "Resp": resp})


def _error(code: int, message: str = "refused", status: int = 200) -> Response:
    return JSONResponse({"ErrCode": code, "ErrMsg": message, "Resp": {}}, status)
