"""Google's images and videos on the Gemini API (docs/providers/google.md).

`…:generateContent` responds with the image when it is done. `/interactions` and `…:predictLongRunning` start
jobs. A video's bytes are at `/files/{id}:download`, only for the key's owner. Webhooks are not sent.
"""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from local.simulator.engine import Engine
from local.simulator.inline import inline_files
from local.simulator.jobs import Job, JobState
from local.simulator.providers import google_models as models
from local.simulator.providers.desk import BAD_REQUEST, INVALID, Refused, body_of, own_job, taken
from local.simulator.wire import header_key

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_INTERACTION_STATUSES = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "in_progress",
    JobState.SUCCEEDED: "completed",
    JobState.FAILED: "failed",
    JobState.REJECTED: "completed",
    JobState.CANCELLED: "cancelled",
}
_WAITING = (JobState.QUEUED, JobState.RUNNING)
_NO_INTERACTION = Refused(400, "Invalid interaction name.")
_KEY_HEADER = "x-goog-api-key"


def router(engine: Engine) -> APIRouter:
    """Return the media routes. Their prefix and `/v1` are the adapter's base URL."""
    routes = APIRouter()
    _add_content(routes, engine)
    _add_operations(routes, engine)
    _add_interactions(routes, engine)

    @routes.get("/v1/files/{name}")
    async def file(name: str, request: Request) -> Response:
        job_id, _, wanted = name.partition(":")
        job = own_job(engine, header_key(request, _KEY_HEADER), job_id)
        if job is None:
            return _error(Refused(403, "You do not have permission to access the file."))
        if wanted == "download":
            return RedirectResponse(engine.file_urls(request, job)[0], 302)
        return JSONResponse({"name": f"files/{job_id}", "state": "ACTIVE"})

    return routes


def _add_content(routes: APIRouter, engine: Engine) -> None:
    @routes.post("/v1/models/{model}:generateContent")
    async def content(model: str, request: Request) -> Response:
        given = models.of_content(await body_of(request))
        job = await taken(engine, header_key(request, _KEY_HEADER), model, given, models.CONTENT)
        if isinstance(job, Refused):
            return _error(job)
        verdict = await engine.finish(job)
        if verdict is JobState.FAILED:
            return _error(Refused(500, "An internal error has occurred."))
        is_good = verdict is JobState.SUCCEEDED
        files = await inline_files(job) if is_good else []
        parts = [{"inlineData": {"mimeType": "image/png", "data": data}} for data in files]
        reason = "STOP" if is_good else "IMAGE_SAFETY"
        return JSONResponse({"candidates": [{"content": {"parts": parts}, "finishReason": reason}]})


def _add_operations(routes: APIRouter, engine: Engine) -> None:
    @routes.post("/v1/models/{model}:predictLongRunning")
    async def start(model: str, request: Request) -> Response:
        given = models.of_operation(await body_of(request))
        job = await taken(engine, header_key(request, _KEY_HEADER), model, given, models.OPERATIONS)
        if isinstance(job, Refused):
            return _error(job)
        return JSONResponse({"name": f"models/{model}/operations/{job.id}"})

    @routes.get("/v1/models/{model}/operations/{job_id}")
    async def show(model: str, job_id: str, request: Request) -> Response:
        job = own_job(engine, header_key(request, _KEY_HEADER), job_id)
        if job is None:
            return _error(Refused(404, "Requested entity was not found."))
        name = f"models/{model}/operations/{job_id}"
        return JSONResponse({"name": name, **_done(request, job, engine.poll(job))})


def _add_interactions(routes: APIRouter, engine: Engine) -> None:
    @routes.post("/v1/interactions")
    async def start(request: Request) -> Response:
        body = await body_of(request)
        key, given = header_key(request, _KEY_HEADER), models.of_interaction(body)
        job = await taken(engine, key, body.get("model", ""), given, models.INTERACTIONS)
        if isinstance(job, Refused):
            return _interaction_error(job)
        return _shown(request, job, JobState.QUEUED)

    @routes.get("/v1/interactions/{job_id}")
    async def show(job_id: str, request: Request) -> Response:
        job = own_job(engine, header_key(request, _KEY_HEADER), job_id)
        return _interaction_error(_NO_INTERACTION) if job is None else _shown(request, job, engine.poll(job))

    @routes.post("/v1/interactions/{job_id}/cancel")
    async def cancel(job_id: str, request: Request) -> Response:
        job = own_job(engine, header_key(request, _KEY_HEADER), job_id)
        if job is None:
            return _interaction_error(_NO_INTERACTION)
        state = engine.state(job)
        if state in _WAITING:
            engine.cancel(job)
            state = JobState.CANCELLED
        return _shown(request, job, state)


def _file_uri(request: Request, job: Job) -> str:
    here = str(request.url).partition("/v1/")[0]
    return f"{here}/v1/files/{job.id}:download?alt=media"


def _shown(request: Request, job: Job, state: JobState) -> Response:
    answer: dict[str, Any] = {"id": job.id, "object": "interaction", "status": _INTERACTION_STATUSES[state]}
    if state is JobState.FAILED:
        answer["errors"] = [{"code": "internal", "message": "Generation failed"}]
    if state is JobState.SUCCEEDED:
        answer["steps"] = _output({"type": "video", "mime_type": "video/mp4", "uri": _file_uri(request, job)})
    if state is JobState.REJECTED:
        answer["steps"] = _output({"type": "text", "text": "I cannot make this video."})
    return JSONResponse(answer)


def _output(content: dict[str, str]) -> list[dict[str, Any]]:
    return [{"type": "user_input", "content": []}, {"type": "model_output", "content": [content]}]


def _done(request: Request, job: Job, state: JobState) -> dict[str, Any]:
    if state in _WAITING:
        return {}
    if state is JobState.FAILED:
        return {"done": True, "error": {"code": 13, "message": "Generation failed"}}
    if state is JobState.REJECTED:
        found: dict[str, Any] = {
            "raiMediaFilteredCount": 1,
            "raiMediaFilteredReasons": ["It is not allowed."],
        }
    else:
        found = {"generatedSamples": [{"video": {"uri": _file_uri(request, job)}}]}
    return {"done": True, "response": {"generateVideoResponse": found}}


def _interaction_error(refused: Refused) -> Response:
    """Return an error whose code is a word, as in google-genai's types of interactions."""
    status = _status(refused)
    code = _STATUSES.get(status, "INTERNAL").lower()
    return JSONResponse({"error": {"code": code, "message": refused.why}}, status)


def _status(refused: Refused) -> int:
    """Return the HTTP status, which is 400 for an invalid input."""
    return BAD_REQUEST if refused.status == INVALID else refused.status


def _error(refused: Refused) -> Response:
    code = _status(refused)
    error = {"code": code, "message": refused.why, "status": _STATUSES.get(code, "INTERNAL")}
    return JSONResponse({"error": error}, code)
