"""PiAPI: `POST /api/v1/task`, `GET` and `DELETE /api/v1/task/{id}` (docs/providers/piapi.md).

The code 200 for a deleted task, and 400 for a running task, are INFERRED.
"""

import uuid
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.jobs import JobState
from local.simulator.media import Artifact
from local.simulator.providers import table
from local.simulator.providers.inputs import (
    ImageInput,
    LoudInput,
    ModelInput,
    Prompt,
    Url,
    made,
    needed,
    one,
    problem_of,
)
from local.simulator.wire import text

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_GRID = 4
_PATH = "/api/v1/task"
_STATUSES = table.words("pending", "processing", "Completed", "failed")
_FAILURES = {
    JobState.FAILED: "Something went wrong",
    JobState.REJECTED: "The prompt was blocked",
    JobState.CANCELLED: "Cancelled",
}
_MESSAGES = {
    400: "Invalid request",
    401: "Invalid API key",
    402: "Insufficient credits",
    404: "Task not found",
    429: "Too many requests",
}


class GridInput(ImageInput):
    """The input of a Midjourney task: four images in one file, and each image separately."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the images."""
        return super().artifacts(label, _GRID if count == 1 else count)


class Hook(BaseModel):
    """The callback for the end of a task."""

    endpoint: Url
    secret: str


class Config(BaseModel):
    """The settings of a task besides its input."""

    service_mode: Literal["public", "private", ""] | None = None
    webhook_config: Hook | None = None


_FOLLOW_UP = {"origin_task_id": needed(str)}
MODELS: Mapping[str, type[ModelInput]] = {
    "kling/text_to_video": made(
        "Kling",
        LoudInput,
        {
            "prompt": needed(Prompt),
            "duration": needed(Annotated[int, Field(ge=3, le=30)]),
            "mode": needed(one("std", "pro")),
            "aspect_ratio": one("16:9", "9:16", "1:1", "21:9"),
            "version": needed(one("4.0", "4.0-flash")),
        },
    ),
    "midjourney/imagine": made(
        "Imagine",
        GridInput,
        {
            "prompt": needed(Prompt),
            "aspect_ratio": str,
            "process_mode": one("relax", "fast", "turbo"),
            "skip_prompt_check": bool,
        },
    ),
    "midjourney/describe": made(
        "Describe", ImageInput, {"image_url": needed(Url), "process_mode": one("relax", "fast", "turbo")}
    ),
    "midjourney/upscale": made(
        "Upscale", ImageInput, {**_FOLLOW_UP, "index": needed(one("1", "2", "3", "4"))}
    ),
    "midjourney/reroll": made("Reroll", GridInput, {**_FOLLOW_UP, "prompt": Prompt}),
}
"""By model and task type."""


def _read(_: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    given = body.get("input")
    if not isinstance(given, dict):
        return table.Refused(400, "input is required")
    try:
        config = Config.model_validate(body.get("config", {}))
    except ValidationError as error:
        return table.Refused(400, problem_of(error))
    if body.get("model") == "kling" and config.service_mode != "public":
        return table.Refused(400, "config.service_mode must be public for Kling 4")
    model = f"{text(body.get('model'))}/{text(body.get('task_type'))}"
    hook = config.webhook_config
    return table.Asked(model, given, callback_url=hook.endpoint if hook else None)


def _check(engine: Engine, key: str, asked: table.Asked) -> table.Refused | None:
    origin = asked.given.get("origin_task_id")
    if origin is None or table.is_done(engine, key, origin):
        return None
    return table.Refused(400, f"origin task {origin} does not exist or is not done")


def _task(shown: table.Shown) -> dict[str, Any]:
    model, _, task_type = shown.job.model.partition("/")
    is_failed = shown.state in _FAILURES
    data = {
        "task_id": shown.job.id,
        "model": model,
        "task_type": task_type,
        "status": _STATUSES[shown.state],
        "output": {"progress": shown.progress, **_output(shown)},
        "error": {"code": 10_000 if is_failed else 0, "message": _FAILURES.get(shown.state, "")},
    }
    return _answer(data)


def _output(shown: table.Shown) -> dict[str, Any]:
    urls = shown.urls
    if not urls:
        return {"image_url": "", "image_urls": None}
    if shown.job.model.endswith("/describe"):
        return {"description": "a lighthouse at dusk"}
    if shown.job.artifacts[0].kind == "video":
        return {"video": urls[0]}
    return {"image_url": urls[0], "image_urls": urls, "actions": ["reroll", "upscale1", "variation1"]}


def _answer(data: dict[str, Any] | None, code: int = 200, message: str = "success") -> dict[str, Any]:
    return {"code": code, "data": data, "message": message}


def _error(refused: table.Refused) -> Response:
    message = refused.why or _MESSAGES.get(refused.status, "Server error")
    return JSONResponse(_answer(None, refused.status, message), refused.status)


_NOT_CANCELLED = table.Refused(400, "Only a pending task can be cancelled")
router = table.router(
    table.Wire(
        key=table.key_in("x-api-key"),
        tells_bad_key=True,
        error=_error,
        error_in_200=lambda: _answer(None, 500, "Server error"),
        no_model=table.Refused(400, "unknown model or task type"),
        no_job=table.Refused(404),
        invalid=table.BAD_REQUEST,
        new_id=lambda: str(uuid.uuid4()),
        check=_check,
        submits=(table.Submit(_PATH, MODELS, _read, _task),),
        looks=(
            table.Look(f"{_PATH}/{{id}}", _task),
            table.Look(
                f"{_PATH}/{{id}}",
                lambda _: _answer(None),
                method="DELETE",
                acts={
                    **dict.fromkeys((JobState.RUNNING, *table.ENDED), _NOT_CANCELLED),
                    JobState.QUEUED: Engine.cancel,
                },
            ),
        ),
    )
)
"""PiAPI's routes; their prefix is the adapter's base URL."""
