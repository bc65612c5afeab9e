"""kie's jobs: `POST /api/v1/jobs/createTask`, `GET /api/v1/jobs/recordInfo?taskId=`.

The envelope's `code` is the status. HTTP returns 200, except for a directed status. A job that is refused for
its content ends like a failed job, because kie has no code for it (INFERRED).
"""

import json
from typing import Any

from starlette.requests import Request

from local.simulator.jobs import JobState
from local.simulator.providers import kie_music, kie_veo, table
from local.simulator.providers.kie_models import MODELS

# The reason of a failure is only text, so a refusal of the content cannot be recognised.
ONLY_WORDS = True
_STATES = table.words("waiting", "generating", "success", "fail")
_FAILURES = {
    JobState.FAILED: ("501", "Generation failed"),
    JobState.REJECTED: ("501", "The prompt breaks the content policy"),
}
_MESSAGES = {
    401: "You do not have access permissions",
    402: "Insufficient credits",
    404: "Not found",
    422: "Validation error",
    429: "Request limit exceeded",
    455: "The system is under maintenance",
}


def _read(_: Request, body: dict[str, Any]) -> table.Asked | table.Refused:
    if not isinstance(body.get("input"), dict):
        return table.Refused(table.INVALID, "input is required")
    return table.Asked(body.get("model"), body["input"], callback_url=body.get("callBackUrl"))


def _record(shown: table.Shown) -> dict[str, Any]:
    job, state = shown.job, shown.state
    code, message = _FAILURES.get(state, (None, None))
    return kie_music.done(
        {
            "taskId": job.id,
            "model": job.model,
            "state": _STATES[state],
            "param": json.dumps({"model": job.model, "input": {"prompt": job.prompt}}),
            # The files: a JSON text inside the JSON.
            "resultJson": json.dumps({"resultUrls": shown.urls}) if shown.is_done else None,
            "failCode": code,
            "failMsg": message,
            "costTime": job.duration_ms if shown.is_done else None,
            "completeTime": job.created_ms + job.duration_ms if shown.is_done else None,
            "createTime": job.created_ms,
        }
    )


router = table.router(
    table.Wire(
        key=table.bearer,
        error=kie_music.in_envelope(_MESSAGES),
        submits=(table.Submit("/api/v1/jobs/createTask", MODELS, _read, kie_music.accepted),),
        looks=(table.Look("/api/v1/jobs/recordInfo", _record, job_id=table.in_query("taskId")),),
        no_model=table.Refused(404, "The model name you specified is not supported"),
        no_job=table.Refused(404),
        error_in_200=lambda: table.Refused(500),
        tells_bad_key=True,
    ),
    kie_music.WIRE,
    kie_veo.WIRE,
)
"""kie's routes; their prefix is the adapter's base URL."""
