"""MuAPI's predictions: `POST /api/v1/{model}`, `GET /api/v1/predictions/{id}/result`.

Source: docs/providers/muapi.md.

The format of its errors is not documented; `detail` is INFERRED.
"""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers.desk import Refused, body_of, own_job, taken
from local.simulator.providers.inputs import images, one
from local.simulator.wire import header_key

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "completed",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
}
_ERRORS = {JobState.FAILED: "Generation failed", JobState.REJECTED: "The prompt breaks the content policy"}
_MODELS = {
    "flux-3-klein-text-to-image": images(aspect_ratio=str, resolution=one("1K", "2K", "4K")),
}


def router(engine: Engine) -> APIRouter:
    """Return MuAPI's routes; their prefix and `/api/v1` are the adapter's base URL."""
    routes = APIRouter()

    @routes.post("/api/v1/{model}")
    async def create(model: str, request: Request) -> Response:
        job = await taken(engine, header_key(request, "x-api-key"), model, await body_of(request), _MODELS)
        if isinstance(job, Refused):
            return JSONResponse({"detail": job.why}, job.status)
        return JSONResponse({"request_id": job.id, "status": "processing"})

    @routes.get("/api/v1/predictions/{request_id}/result")
    async def result(request_id: str, request: Request) -> Response:
        job = own_job(engine, header_key(request, "x-api-key"), request_id)
        if job is None:
            return JSONResponse({"detail": "Not found"}, 404)
        state = engine.poll(job)
        outputs = engine.file_urls(request, job) if state is JobState.SUCCEEDED else []
        answer = {"id": job.id, "status": _STATUSES[state], "outputs": outputs, "error": _ERRORS.get(state)}
        return JSONResponse(answer)

    return routes
