"""Google's images and videos on the Gemini API (docs/providers/google.md).

`…:generateContent` responds with the image when it is done. `/interactions` and `…:predictLongRunning` start
jobs. A video's bytes are at `/files/{id}:download`, only for the key's owner. Webhooks are not sent.
"""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers import google_models as models
from local.simulator.providers import table
from local.simulator.text import google as chats

_INTERACTION_STATUSES = table.words(
    "queued", "in_progress", "completed", "failed", rejected="completed", cancelled="cancelled"
)


def _read_content(request: Request, body: dict[str, Any]) -> table.Asked:
    return table.Asked(request.path_params["model"], models.of_content(body), is_inline=True)


def _read_operation(request: Request, body: dict[str, Any]) -> table.Asked:
    return table.Asked(request.path_params["model"], models.of_operation(body))


def _read_interaction(_: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    given = models.of_interaction(body)
    if any(part.get("type") == "video" and "uri" in part for part in given.get("media", [])):
        return table.Refused(400, "HTTP video input is not supported by the model.")
    return table.Asked(body.get("model"), given)


def _content(shown: table.Shown) -> table.Answer:
    if shown.state is JobState.FAILED:
        return table.Refused(500, "An internal error has occurred.")
    parts = [{"inlineData": {"mimeType": "image/png", "data": data}} for data in shown.inline]
    reason = "STOP" if shown.is_done else "IMAGE_SAFETY"
    return {"candidates": [{"content": {"parts": parts}, "finishReason": reason}]}


def _operation(shown: table.Shown) -> dict[str, Any]:
    name = {"name": f"models/{shown.job.model}/operations/{shown.job.id}"}
    if shown.state in table.WAITING:
        return name
    if shown.state is JobState.FAILED:
        return {**name, "done": True, "error": {"code": 13, "message": "Generation failed"}}
    if shown.state is JobState.REJECTED:
        found: dict[str, Any] = {
            "raiMediaFilteredCount": 1,
            "raiMediaFilteredReasons": ["It is not allowed."],
        }
    else:
        found = {"generatedSamples": [{"video": {"uri": _file_uri(shown)}}]}
    return {**name, "done": True, "response": {"generateVideoResponse": found}}


def _interaction(shown: table.Shown) -> dict[str, Any]:
    status = _INTERACTION_STATUSES[shown.state]
    answer: dict[str, Any] = {"id": shown.job.id, "object": "interaction", "status": status}
    if shown.state is JobState.FAILED:
        answer["errors"] = [{"code": "internal", "message": "Generation failed"}]
    if shown.is_done:
        answer["steps"] = _output({"type": "video", "mime_type": "video/mp4", "uri": _file_uri(shown)})
    if shown.state is JobState.REJECTED:
        answer["steps"] = _output({"type": "text", "text": "I cannot make this video."})
    return answer


def _output(content: dict[str, str]) -> list[dict[str, Any]]:
    return [{"type": "user_input", "content": []}, {"type": "model_output", "content": [content]}]


def _file_uri(shown: table.Shown) -> str:
    here = str(shown.request.url).partition("/v1/")[0]
    return f"{here}/v1/files/{shown.job.id}:download?alt=media"


def _file(shown: table.Shown) -> table.Answer:
    # Google reports some files as failed that can be read all the same.
    state = "FAILED" if shown.job.directions.file_failed else "ACTIVE"
    return {"name": f"files/{shown.job.id}", "state": state}


def _download(shown: table.Shown) -> table.Answer:
    return RedirectResponse(shown.engine.file_urls(shown.request, shown.job)[0], 302)


def _no_file(_: Request) -> table.Answer:
    return table.Refused(403, "You do not have permission to access the file.")


def _error(refused: table.Refused) -> Response:
    code = _status(refused)
    error = {"code": code, "message": refused.said, "status": chats.STATUSES.get(code, "INTERNAL")}
    return JSONResponse({"error": error}, code)


def _interaction_error(refused: table.Refused) -> Response:
    """Return an error whose code is a word, as in google-genai's types of interactions."""
    status = _status(refused)
    code = chats.STATUSES.get(status, "INTERNAL").lower()
    return JSONResponse({"error": {"code": code, "message": refused.said}}, status)


def _status(refused: table.Refused) -> int:
    """Return the HTTP status, which is 400 for an invalid input."""
    return table.BAD_REQUEST if refused.status == table.INVALID else refused.status


_KEY = table.key_in("x-goog-api-key")
_MODELS_WIRE = table.Wire(
    key=_KEY,
    error=_error,
    no_job=table.Refused(404, "Requested entity was not found."),
    submits=(
        table.Submit(
            "/v1/models/{model}:generateContent", models.CONTENT, _read_content, _content, at_once=True
        ),
        table.Submit("/v1/models/{model}:predictLongRunning", models.OPERATIONS, _read_operation, _operation),
    ),
    looks=(
        table.Look("/v1/models/{model}/operations/{id}", _operation),
        table.Look("/v1/files/{id}:download", _download, missing=_no_file, acts={}),
        table.Look("/v1/files/{id}", _file, missing=_no_file, acts={}),
    ),
)
_INTERACTIONS_WIRE = table.Wire(
    key=_KEY,
    error=_interaction_error,
    no_job=table.Refused(400, "Invalid interaction name."),
    submits=(table.Submit("/v1/interactions", models.INTERACTIONS, _read_interaction, _interaction),),
    looks=(
        table.Look("/v1/interactions/{id}", _interaction),
        table.Look(
            "/v1/interactions/{id}/cancel",
            _interaction,
            method="POST",
            acts=dict.fromkeys(table.WAITING, Engine.cancel),
        ),
    ),
)
_media = table.router(_MODELS_WIRE, _INTERACTIONS_WIRE)


def router(engine: Engine) -> APIRouter:
    """Return the routes. Their prefix and `/v1` are the adapter's base URL.

    Chats with images have the path of an image.
    """
    routes = chats.router(engine, table.submitting(engine, _MODELS_WIRE, _MODELS_WIRE.submits[0]))
    routes.include_router(_media(engine))
    return routes
