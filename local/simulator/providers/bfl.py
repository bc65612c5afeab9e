"""BFL's FLUX 3: `POST /v1/{model}`, polled at the URL in its response (docs/providers/bfl.md)."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers.desk import INVALID, Refused, body_of, own_job, taken
from local.simulator.providers.inputs import Urls, images, needed, one, videos
from local.simulator.wire import header_key

_STATUSES = {
    JobState.QUEUED: "Pending",
    JobState.RUNNING: "Generating",
    JobState.SUCCEEDED: "Ready",
    JobState.FAILED: "Failed",
    JobState.REJECTED: "Content Moderated",
}
_MODELS = {
    "v1/flux-3-image": images(
        aspect_ratio=str, resolution=one("768sq", "1k", "1.5k", "2k", "4k"), grounding=bool, images=Urls
    ),
    "v1/flux-3-video": videos(
        mode=needed(one("t2v", "i2v")),
        aspect_ratio=str,
        resolution=one("hd", "fhd"),
        duration=one("auto", *range(5, 21)),
        keyframes=Urls,
        draft=bool,
        safety_tolerance=one(*range(5)),
    ),
}


def router(engine: Engine) -> APIRouter:
    """Return BFL's routes; their prefix is the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/v1/{model}")
    async def create(model: str, request: Request) -> Response:
        key, given = header_key(request, "x-key"), await body_of(request)
        job = await taken(engine, key, f"v1/{model}", given, _MODELS)
        if isinstance(job, Refused):
            detail: Any = [{"loc": ["body"], "msg": job.why}] if job.status == INVALID else job.why
            return JSONResponse({"detail": detail}, job.status)
        here = str(request.url).partition("/v1/")[0]
        return JSONResponse({"id": job.id, "polling_url": f"{here}/v1/get_result?id={job.id}"})

    @routes.get("/v1/get_result")
    async def result(request: Request) -> Response:
        job = own_job(engine, header_key(request, "x-key"), request.query_params.get("id", ""))
        if job is None:
            return JSONResponse({"id": None, "status": "Task not found", "result": None}, 404)
        state = engine.poll(job)
        sample = engine.file_urls(request, job)[0] if state is JobState.SUCCEEDED else None
        found = {"sample": sample} if sample else None
        return JSONResponse({"id": job.id, "status": _STATUSES[state], "result": found})

    return routes
