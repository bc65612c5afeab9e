"""MuAPI's predictions: `POST /api/v1/{model}`, `GET /api/v1/predictions/{id}/result`.

Source: docs/providers/muapi.md.

The format of its errors is not documented; `detail` is INFERRED.
"""

from typing import Any

from starlette.responses import JSONResponse

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import images, one

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = table.words("queued", "processing", "completed", "failed")
_ERRORS = {JobState.FAILED: "Generation failed", JobState.REJECTED: "The prompt breaks the content policy"}
_MODELS = {
    "flux-3-klein-text-to-image": images(aspect_ratio=str, resolution=one("1K", "2K", "4K")),
}


def _accepted(shown: table.Shown) -> dict[str, Any]:
    return {"request_id": shown.job.id, "status": "processing"}


def _result(shown: table.Shown) -> dict[str, Any]:
    return {
        "id": shown.job.id,
        "status": _STATUSES[shown.state],
        "outputs": shown.urls,
        "error": _ERRORS.get(shown.state),
    }


router = table.router(
    table.Wire(
        key=table.key_in("x-api-key"),
        error=lambda refused: JSONResponse({"detail": refused.said}, refused.status),
        submits=(table.Submit("/api/v1/{model}", _MODELS, table.in_path("{model}"), _accepted),),
        looks=(table.Look("/api/v1/predictions/{id}/result", _result),),
    )
)
"""MuAPI's routes; their prefix and `/api/v1` are the adapter's base URL."""
