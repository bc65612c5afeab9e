"""fal's queue API (docs/providers/fal.md): submit, status, result, cancel.

Callbacks (`fal_webhook`) are not sent. Validation is as strict about strings as fal's: `duration` is `"5"`,
not 5 (INFERRED from its published enums).
"""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.media import Artifact, rendered
from local.simulator.media.glb import Glb
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.picture import Picture
from local.simulator.media.shapes import aspect
from local.simulator.providers import fal_models as models
from local.simulator.providers import fal_tools
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput
from local.simulator.wire import MAX_PROMPT_CHARS, api_key, json_object, said, text

_DOCS = "https://docs.fal.ai/errors"
_PRESETS_PX = {
    "square_hd": (1024, 1024),
    "square": (512, 512),
    "portrait_4_3": (768, 1024),
    "portrait_16_9": (576, 1024),
    "landscape_4_3": (1024, 768),
    "landscape_16_9": (1024, 576),
    "auto": (1024, 1024),
}
_FAILED = "Runner disconnected"
_FAILED_TYPE = "runner_disconnected"

_UNPROCESSABLE = 422
_SERVER_ERRORS = 500
_REFUSALS = {
    401: "Authentication is required to access this application",
    403: "User is locked. Reason: Exhausted balance",
    404: "Application not found",
    429: "Too many concurrent requests",
    503: "No runner could be scheduled",
}

_Prompt = Annotated[str, Field(max_length=MAX_PROMPT_CHARS)]
_Pixels = Annotated[int, Field(ge=64, le=2048)]


class CustomSize(BaseModel):
    """`image_size` in pixels."""

    width: _Pixels
    height: _Pixels


class ZImage(ModelInput):
    """Input of `fal-ai/z-image/turbo`."""

    prompt: _Prompt
    image_size: (
        Literal[
            "square_hd", "square", "portrait_4_3", "portrait_16_9", "landscape_4_3", "landscape_16_9", "auto"
        ]
        | CustomSize
    ) = "landscape_4_3"
    seed: int | None = None
    enable_safety_checker: bool = True

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's images."""
        size = self.image_size
        width, height = _PRESETS_PX[size] if isinstance(size, str) else (size.width, size.height)
        seed = seed_of(self.prompt) if self.seed is None else self.seed
        return [Picture(width, height, text(self.prompt), label, seed + index) for index in range(count)]


class ZImageToImage(ZImage):
    """Input of `fal-ai/z-image/turbo/image-to-image`."""

    image_url: str


class Seedance(ModelInput):
    """Input of `fal-ai/bytedance/seedance/v1.5/pro/text-to-video`."""

    prompt: _Prompt
    aspect_ratio: Literal["21:9", "16:9", "4:3", "1:1", "3:4", "9:16", "auto"] = "16:9"
    resolution: Literal["480p", "720p", "1080p"] = "720p"
    duration: Literal["4", "5", "6", "7", "8", "9", "10", "11", "12"] = "5"
    generate_audio: bool = True
    camera_fixed: bool = False
    seed: int | None = None
    enable_safety_checker: bool = True

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's video. It is always one, because the output has no place for more."""
        del count
        seed = seed_of(self.prompt) if self.seed is None else self.seed
        shape = aspect("16:9" if self.aspect_ratio == "auto" else self.aspect_ratio)
        return [Mp4(shape, int(self.duration), self.generate_audio, text(self.prompt), label, seed)]


class SeedanceImageToVideo(Seedance):
    """Input of `fal-ai/bytedance/seedance/v1.5/pro/image-to-video`."""

    image_url: str
    end_image_url: str | None = None


_MODELS: Mapping[str, type[ModelInput]] = {
    **models.MODELS,
    **fal_tools.MODELS,
    "fal-ai/z-image/turbo": ZImage,
    "fal-ai/z-image/turbo/image-to-image": ZImageToImage,
    "fal-ai/bytedance/seedance/v1.5/pro/text-to-video": Seedance,
    "fal-ai/bytedance/seedance/v1.5/pro/image-to-video": SeedanceImageToVideo,
}


def router(engine: Engine) -> APIRouter:
    """Return fal's routes; their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.get("/{owner}/{app}/requests/{request_id}/status")
    async def status(owner: str, app: str, request_id: str, request: Request) -> Response:
        job = _job(engine, request, f"{owner}/{app}", request_id)
        return job if isinstance(job, Response) else _status(engine, request, job)

    @routes.get("/{owner}/{app}/requests/{request_id}")
    async def result(owner: str, app: str, request_id: str, request: Request) -> Response:
        job = _job(engine, request, f"{owner}/{app}", request_id)
        return job if isinstance(job, Response) else await _result(engine, request, job)

    @routes.put("/{owner}/{app}/requests/{request_id}/cancel")
    async def cancel(owner: str, app: str, request_id: str, request: Request) -> Response:
        job = _job(engine, request, f"{owner}/{app}", request_id)
        return job if isinstance(job, Response) else _cancel(engine, job)

    @routes.post("/{model:path}")
    async def submit(model: str, request: Request) -> Response:
        return await _submit(engine, request, model)

    return routes


async def _submit(engine: Engine, request: Request, model: str) -> Response:
    key = api_key(request, "Key")
    if key is None:
        return _refused(401)
    model_input = input_of(engine.provider, model, _MODELS)
    if model_input is None:
        return _refused(404)
    body = await json_object(request)
    visit = engine.receive(model, said(body or {}))
    if visit.refused_status is not None:
        return _refused(visit.refused_status)
    if visit.directions.retired:
        return _refused(404)
    try:
        asked = model_input.model_validate(body)
    except ValidationError as error:
        return _invalid(error)
    label = f"{engine.provider} · {model}"
    artifacts = asked.artifacts(label, visit.directions.files or 1)
    job = await engine.accept(
        visit, str(uuid.uuid4()), key, artifacts, request.query_params.get("fal_webhook")
    )
    return JSONResponse({**_urls(engine, request, job), "request_id": job.id, "queue_position": 0})


def _status(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.poll(job)
    shown: dict[str, Any] = {"request_id": job.id, **_urls(engine, request, job)}
    if state is JobState.QUEUED:
        return _answer(job, {"status": "IN_QUEUE", "queue_position": 0, **shown})
    shown["logs"] = [{"message": f"job is {state}"}] if request.query_params.get("logs") == "1" else None
    if state is JobState.RUNNING:
        return _answer(job, {"status": "IN_PROGRESS", **shown})
    # A refused job reports that only in its result, a failed job also here (docs/providers/fal.md).
    failed = state is JobState.FAILED
    fault = {"error": _FAILED, "error_type": _FAILED_TYPE} if failed else {"error": None, "error_type": None}
    metrics = {"inference_time": job.duration_ms / MS_PER_S}
    return _answer(job, {"status": "COMPLETED", "metrics": metrics, **fault, **shown})


async def _result(engine: Engine, request: Request, job: Job) -> Response:
    state = engine.fetch(job)
    if state in (JobState.QUEUED, JobState.RUNNING):
        return _answer(job, {"detail": "Request is still in progress"}, 400)
    if state is JobState.FAILED:
        answer = _answer(job, {"detail": _FAILED, "error_type": _FAILED_TYPE}, 503)
        answer.headers["x-fal-error-type"] = _FAILED_TYPE
        return answer
    if state is JobState.REJECTED:
        problem = _problem(
            ["body", "prompt"], "The prompt breaks the content policy.", "content_policy_violation"
        )
        answer = _answer(job, {"detail": [problem]}, 422)
        answer.headers["x-fal-retryable"] = "false"
        return answer
    return _answer(job, await _output(engine, request, job))


async def _output(engine: Engine, request: Request, job: Job) -> dict[str, Any]:
    urls = engine.file_urls(request, job)
    first = job.artifacts[0]
    if isinstance(first, Mp4):
        content = await asyncio.to_thread(rendered, first)
        named = {"file_name": job.file_name(0), "file_size": len(content)}
        return {"video": {"url": urls[0], "content_type": first.content_type, **named}, "seed": first.seed}
    if isinstance(first, Glb):
        file = {"url": urls[0], "content_type": first.content_type, "file_name": job.file_name(0)}
        # Real results also have a preview and other formats, which the adapter must not take for the result.
        preview = {"url": f"{urls[0]}.png", "content_type": "image/png"}
        return {"model_glb": file, "model_urls": {"glb": file, "obj": None}, "thumbnail": preview}
    images = [
        {
            "url": url,
            "content_type": image.content_type,
            "width": image.width_px,
            "height": image.height_px,
        }
        for url, image in zip(urls, job.artifacts, strict=True)
        if isinstance(image, Picture)
    ]
    if job.model in fal_tools.ONE_IMAGE:
        return {"image": images[0]}
    return {
        "images": images,
        "seed": first.seed,
        "timings": {},
        "has_nsfw_concepts": [False] * len(images),
        "prompt": job.prompt,
    }


def _cancel(engine: Engine, job: Job) -> Response:
    state = engine.state(job)
    if state is JobState.QUEUED:
        engine.forget(job)
    # A running job receives only the signal, and ends normally.
    if state in (JobState.QUEUED, JobState.RUNNING):
        return _answer(job, {"status": "CANCELLATION_REQUESTED"}, 202)
    return _answer(job, {"status": "ALREADY_COMPLETED"}, 400)


def _job(engine: Engine, request: Request, app: str, request_id: str) -> Job | Response:
    if api_key(request, "Key") is None:
        return _refused(401)
    job = engine.find(request_id)
    if job is None or not f"{job.model}/".startswith(f"{app}/"):
        return JSONResponse({"status": "NOT_FOUND", "detail": "Request not found"}, 404)
    return job


def _urls(engine: Engine, request: Request, job: Job) -> dict[str, str]:
    # Without the subpath, because all models of an app share its queue.
    app = "/".join(job.model.split("/")[:2])
    base = f"{request.base_url}{engine.provider}/{app}/requests/{job.id}"
    return {"response_url": base, "status_url": f"{base}/status", "cancel_url": f"{base}/cancel"}


def _answer(job: Job, body: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(body, status, {"x-fal-request-id": job.id})


def _refused(status: int) -> Response:
    if status == _UNPROCESSABLE:
        return JSONResponse({"detail": [_problem(["body"], "Invalid input.", "value_error")]}, status)
    body = {"detail": _REFUSALS.get(status, "The request was refused.")}
    if status >= _SERVER_ERRORS:
        body["error_type"] = "runner_scheduling_failure"
    return JSONResponse(body, status)


def _invalid(error: ValidationError) -> Response:
    found = error.errors(include_url=False, include_context=False)
    problems = [_problem(["body", *problem["loc"]], problem["msg"], problem["type"]) for problem in found]
    return JSONResponse({"detail": problems}, _UNPROCESSABLE)


def _problem(location: list[int | str], message: str, kind: str) -> dict[str, Any]:
    return {"loc": location, "msg": message, "type": kind, "url": f"{_DOCS}#{kind}", "ctx": {}, "input": {}}
