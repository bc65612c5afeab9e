"""Replicate's predictions (docs/providers/replicate.md). Webhooks are not sent.

`POST /v1/models/{owner}/{name}/predictions`, `GET /v1/predictions/{id}`, `POST /v1/predictions/{id}/cancel`.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import Url, Urls, VideoInput, images, made, needed, one, videos
from tollgate.kit.clock import iso

_STATUSES = table.words("starting", "processing", "succeeded", "failed", cancelled="canceled")
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
    **{
        f"sync/{name}": made(
            "LipSync",
            VideoInput,
            {
                "video": needed(Url),
                "audio": needed(Url),
                "sync_mode": one("loop", "bounce", "cut_off", "silence", "remap"),
            },
        )
        for name in ("lipsync-2", "lipsync-2-pro")
    },
}


def _read(request: Request, body: dict[str, Any]) -> table.Asked:
    given = body.get("input")
    return table.Asked(
        "{owner}/{name}".format(**request.path_params), given if isinstance(given, dict) else {}
    )


def _prediction(shown: table.Shown) -> dict[str, Any]:
    job = shown.job
    here = f"{shown.request.base_url}replicate/v1/predictions/{job.id}"
    return {
        "id": job.id,
        "model": job.model,
        # The version of vendors' own models.
        "version": "hidden",
        "status": _STATUSES[shown.state],
        "input": {"prompt": job.prompt},
        "output": _output(job.model, shown.urls) if shown.is_done else None,
        "error": _ERRORS.get(shown.state),
        "logs": "",
        "metrics": {},
        "created_at": iso(job.created_ms),
        "urls": {"get": here, "cancel": f"{here}/cancel"},
    }


def _output(model: str, urls: list[str]) -> list[str] | str:
    """Return a video as one URL, as `@ai-sdk/replicate` expects, and images as an array."""
    taken_input = input_of("replicate", model, _MODELS)
    return urls[0] if taken_input is not None and issubclass(taken_input, VideoInput) else urls


def _error(refused: table.Refused) -> Response:
    problem = {"title": "Error", "status": refused.status, "detail": refused.said}
    return JSONResponse(problem, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        no_job=table.Refused(404, "The requested resource could not be found."),
        submits=(
            table.Submit("/v1/models/{owner}/{name}/predictions", _MODELS, _read, _prediction, status=201),
        ),
        looks=(
            table.Look("/v1/predictions/{id}", _prediction),
            table.Look(
                "/v1/predictions/{id}/cancel",
                _prediction,
                method="POST",
                acts=dict.fromkeys(table.WAITING, Engine.cancel),
            ),
        ),
    )
)
"""Replicate's routes; their prefix and `/v1` are the adapter's base URL."""
