"""MuAPI's predictions: `POST /api/v1/{model}`, `GET /api/v1/predictions/{id}/result`.

Source: docs/providers/muapi.md.

The format of its errors is not documented; `detail` is INFERRED.
"""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import JSONResponse

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import Url, Urls, images, loud_videos, one

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATUSES = table.words("queued", "processing", "completed", "failed")
_ERRORS = {JobState.FAILED: "Generation failed", JobState.REJECTED: "The prompt breaks the content policy"}
_KLING_4: dict[str, Any] = {
    "resolution": one("720p", "1080p"),
    "duration": Annotated[int, Field(ge=3, le=30)],
    "aspect_ratio": one("16:9", "9:16", "1:1", "21:9"),
}


class Element(BaseModel):
    """A named subject of Kling 4.0: 2 to 4 images, or a video."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=20)]
    image_urls: Annotated[list[Url], Field(min_length=2, max_length=4)] | None = None
    video_url: Url | None = None
    description: str | None = None

    @model_validator(mode="after")
    def _is_shown(self) -> Self:
        if (self.image_urls is None) is (self.video_url is None):
            raise ValueError("image_urls or video_url")
        return self


_MODELS = {
    "kling-4.0-text-to-video": loud_videos(**_KLING_4),
    "kling-4.0-reference-to-video": loud_videos(
        **_KLING_4,
        image_urls=Annotated[Urls, Field(max_length=10)],
        elements=Annotated[list[Element], Field(max_length=7)],
    ),
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
