"""Veo 3.1 on kie (docs/providers/kie.md#veo): `/api/v1/veo/generate`, `record-info` and `get-1080p-video`."""

from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request

from local.simulator.jobs import JobState
from local.simulator.providers import kie_music, table
from local.simulator.providers.inputs import Url, Urls, needed, one, videos

_FLAGS = {JobState.QUEUED: 0, JobState.RUNNING: 0, JobState.SUCCEEDED: 1, JobState.FAILED: 2}
_FAILED = 3
_MODELS = {
    name: videos(
        model=needed(str),
        aspect_ratio=one("16:9", "9:16", "Auto"),
        imageUrls=Annotated[Urls, Field(max_length=3)],
        generationType=one("TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "REFERENCE_2_VIDEO"),
        callBackUrl=Url,
    )
    for name in ("veo3", "veo3_fast")
}
_MESSAGES = {401: "Unauthorized", 402: "Insufficient credits", 404: "Not found", 429: "Too many requests"}


def _read(_: Request, body: dict[str, Any]) -> table.Asked:
    return table.Asked(body.get("model"), body, callback_url=body.get("callBackUrl"))


def _record(shown: table.Shown) -> dict[str, Any]:
    return kie_music.done(
        {
            "taskId": shown.job.id,
            "successFlag": _FLAGS.get(shown.state, _FAILED),
            "errorMessage": "" if shown.is_done else "Generation failed",
            "response": {"resultUrls": shown.urls} if shown.is_done else None,
        }
    )


def _in_1080p(shown: table.Shown) -> table.Answer:
    if not shown.is_done:
        return table.Refused(400, "1080P is processing. It should be ready in 1-2 minutes.")
    return kie_music.done({"resultUrl": shown.urls[0]})


WIRE = table.Wire(
    key=table.bearer,
    error=kie_music.in_envelope(_MESSAGES),
    submits=(table.Submit("/api/v1/veo/generate", _MODELS, _read, kie_music.accepted),),
    looks=(
        table.Look("/api/v1/veo/record-info", _record, job_id=table.in_query("taskId")),
        table.Look("/api/v1/veo/get-1080p-video", _in_1080p, job_id=table.in_query("taskId")),
    ),
    no_job=table.Refused(404),
    error_in_200=lambda: table.Refused(500),
    tells_bad_key=True,
)
"""The paths of Veo, and of its records."""
