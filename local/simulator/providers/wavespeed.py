"""WaveSpeed's predictions: `POST /api/v3/{model}`, `GET /api/v3/predictions/{id}/result`.

Source: docs/providers/wavespeed.md. The envelope of an invalid input is INFERRED.
"""

from typing import Annotated, Any

from pydantic import Field
from starlette.responses import JSONResponse

from local.simulator.jobs import JobState
from local.simulator.providers import table
from local.simulator.providers.inputs import (
    CutoutInput,
    Prompt,
    Url,
    Urls,
    VideoInput,
    loud_videos,
    made,
    needed,
    one,
)

_STATUSES = table.words("created", "processing", "completed", "failed")
_ERRORS = {
    JobState.FAILED: (1405, "The task execution failed."),
    JobState.REJECTED: (1200, "The content contains sensitive information."),
}
_KLING_4: dict[str, Any] = {
    "resolution": one("720p", "1080p"),
    "duration": Annotated[int, Field(ge=3, le=30)],
    "aspect_ratio": one("16:9", "9:16", "1:1", "21:9"),
}
_IMAGES = Annotated[Urls, Field(max_length=10)]
_SOUND = {"keep_original_sound": bool}
_MODELS = {
    "kwaivgi/kling-v4.0/text-to-video": loud_videos(**_KLING_4),
    "kwaivgi/kling-v4.0-flash/text-to-video": loud_videos(
        duration=Annotated[int, Field(ge=3, le=20)], aspect_ratio=_KLING_4["aspect_ratio"]
    ),
    "kwaivgi/kling-v4.0/image-to-video": loud_videos(
        **{**_KLING_4, "prompt": Prompt, "image": needed(Url), "last_image": Url},
        keyframes=Annotated[Urls, Field(max_length=8)],
    ),
    "kwaivgi/kling-v4.0/reference-to-video": loud_videos(
        **_KLING_4, **_SOUND, images=_IMAGES, videos=Annotated[Urls, Field(max_length=5)]
    ),
    "bytedance/video-upscaler": made(
        "Upscale", VideoInput, {"video": needed(Url), "target_resolution": one("1080p", "2k", "4k")}
    ),
    "bria/remove-background": made("Cutout", CutoutInput, {"image": needed(Url), "preserve_alpha": bool}),
    "kwaivgi/kling-v4.0/video-edit": loud_videos(**_KLING_4, **_SOUND, video=needed(Url), images=_IMAGES),
}


def _prediction(shown: table.Shown) -> dict[str, Any]:
    code, error = _ERRORS.get(shown.state, (0, ""))
    data = {
        "id": shown.job.id,
        "model": shown.job.model,
        "status": _STATUSES[shown.state],
        "outputs": shown.urls,
        "code": code,
        "error": error,
        "urls": {"get": f"{shown.request.base_url}wavespeed/api/v3/predictions/{shown.job.id}"},
    }
    return {"code": 200, "message": "success", "data": data}


def _error(refused: table.Refused) -> JSONResponse:
    return JSONResponse({"code": refused.status, "message": refused.said}, refused.status)


router = table.router(
    table.Wire(
        key=table.bearer,
        error=_error,
        invalid=table.BAD_REQUEST,
        submits=(table.Submit("/api/v3/{model:path}", _MODELS, table.in_path("{model}"), _prediction),),
        looks=(table.Look("/api/v3/predictions/{id}/result", _prediction),),
    )
)
"""WaveSpeed's routes; their prefix and `/api/v3` are the adapter's base URL."""
