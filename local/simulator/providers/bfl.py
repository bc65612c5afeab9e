"""BFL's FLUX 3: `POST /v1/{model}`, polled at the URL in its response (docs/providers/bfl.md)."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.providers import table
from local.simulator.providers.inputs import Urls, images, needed, one, videos

_STATUSES = table.words("Pending", "Generating", "Ready", "Failed", rejected="Content Moderated")
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


def _accepted(shown: table.Shown) -> dict[str, Any]:
    here = str(shown.request.url).partition("/v1/")[0]
    return {"id": shown.job.id, "polling_url": f"{here}/v1/get_result?id={shown.job.id}"}


def _result(shown: table.Shown) -> dict[str, Any]:
    if not shown.is_done:
        return {"id": shown.job.id, "status": _STATUSES[shown.state], "result": None}
    cost_usd = shown.job.directions.cost_usd
    # In credits of one cent; some results state no cost.
    cost = {} if cost_usd is None else {"cost": cost_usd * 100}
    return {"id": shown.job.id, "status": "Ready", "result": {"sample": shown.urls[0]}, **cost}


def _error(refused: table.Refused) -> Response:
    is_invalid = refused.status == table.INVALID
    detail = [{"loc": ["body"], "msg": refused.said}] if is_invalid else refused.said
    return JSONResponse({"detail": detail}, refused.status)


def _not_found(_: Request) -> Response:
    return JSONResponse({"id": None, "status": "Task not found", "result": None}, 404)


router = table.router(
    table.Wire(
        key=table.key_in("x-key"),
        error=_error,
        submits=(table.Submit("/v1/{model}", _MODELS, table.in_path("v1/{model}"), _accepted),),
        looks=(table.Look("/v1/get_result", _result, job_id=table.in_query("id"), missing=_not_found),),
    )
)
"""BFL's routes; their prefix is the adapter's base URL."""
