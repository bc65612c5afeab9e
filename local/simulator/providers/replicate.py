"""Replicate's predictions (docs/providers/replicate.md). Webhooks are not sent.

`POST /v1/models/{owner}/{name}/predictions`, `GET /v1/predictions/{id}`, `POST /v1/predictions/{id}/cancel`.
"""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers.desk import Refused, body_of, own_job, taken
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import Url, Urls, VideoInput, images, one, videos
from local.simulator.wire import api_key
from tollgate.kit.clock import iso

_STATUSES = {
    JobState.QUEUED: "starting",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "succeeded",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
    JobState.CANCELLED: "canceled",
}
_ERRORS = {
    JobState.FAILED: "Prediction failed",
    JobState.REJECTED: "The input or output was flagged as sensitive. (E005)",
}
_MODELS = {
    "black-forest-labs/flux-3-image": images(
        aspect_ratio=str, resolution=one("768sq", "1k", "1.5k", "2k", "4k"), grounding=bool, images=Urls
    ),
    "black-forest-labs/flux-3": videos(
        aspect_ratio=str,
        resolution=one("720p", "1080p"),
        duration=one("auto", *map(str, range(5, 21))),
        images=Urls,
        start_video=Url,
        draft=bool,
        safety_tolerance=one(*range(5)),
    ),
}


def router(engine: Engine) -> APIRouter:
    """Return Replicate's routes; their prefix and `/v1` are the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/v1/models/{owner}/{name}/predictions")
    async def create(owner: str, name: str, request: Request) -> Response:
        given = (await body_of(request)).get("input")
        values = given if isinstance(given, dict) else {}
        job = await taken(engine, api_key(request, "Bearer"), f"{owner}/{name}", values, _MODELS)
        if isinstance(job, Refused):
            return _error(job.status, job.why)
        return JSONResponse(_prediction(engine, request, job, JobState.QUEUED), 201)

    @routes.get("/v1/predictions/{prediction_id}")
    async def show(prediction_id: str, request: Request) -> Response:
        job = own_job(engine, api_key(request, "Bearer"), prediction_id)
        if job is None:
            return _error(404, "The requested resource could not be found.")
        return JSONResponse(_prediction(engine, request, job, engine.poll(job)))

    @routes.post("/v1/predictions/{prediction_id}/cancel")
    async def cancel(prediction_id: str, request: Request) -> Response:
        job = own_job(engine, api_key(request, "Bearer"), prediction_id)
        if job is None:
            return _error(404, "The requested resource could not be found.")
        state = engine.state(job)
        if state in (JobState.QUEUED, JobState.RUNNING):
            engine.cancel(job)
            state = JobState.CANCELLED
        return JSONResponse(_prediction(engine, request, job, state))

    return routes


def _prediction(engine: Engine, request: Request, job: Job, state: JobState) -> dict[str, Any]:
    here = f"{request.base_url}replicate/v1/predictions/{job.id}"
    urls = engine.file_urls(request, job)
    return {
        "id": job.id,
        "model": job.model,
        # The version of vendors' own models.
        "version": "hidden",
        "status": _STATUSES[state],
        "input": {"prompt": job.prompt},
        "output": _output(job.model, urls) if state is JobState.SUCCEEDED else None,
        "error": _ERRORS.get(state),
        "logs": "",
        "metrics": {},
        "created_at": iso(job.created_ms),
        "urls": {"get": here, "cancel": f"{here}/cancel"},
    }


def _output(model: str, urls: list[str]) -> list[str] | str:
    """Return a video as one URL, as `@ai-sdk/replicate` expects, and images as an array."""
    taken_input = input_of("replicate", model, _MODELS)
    return urls[0] if taken_input is not None and issubclass(taken_input, VideoInput) else urls


def _error(status: int, detail: str) -> Response:
    return JSONResponse({"title": "Error", "status": status, "detail": detail}, status)
