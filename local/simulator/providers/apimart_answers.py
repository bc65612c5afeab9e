"""APIMart's format of a task, in each of its sections ("Get Task Status"; Midjourney "Get task")."""

from typing import Any

from local.simulator.engine import Engine
from local.simulator.jobs import Job, JobState
from local.simulator.providers.apimart_models import SINGLE
from local.simulator.providers.apimart_music import result

_STATUSES = {
    JobState.QUEUED: "submitted",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "completed",
    JobState.FAILED: "failed",
    JobState.REJECTED: "failed",
}
_MJ_STATUSES = {
    JobState.QUEUED: "SUBMITTED",
    JobState.RUNNING: "IN_PROGRESS",
    JobState.SUCCEEDED: "SUCCESS",
    JobState.FAILED: "FAILURE",
    JobState.REJECTED: "FAILURE",
}
_MJ_REASONS = {
    JobState.FAILED: "[Internal error] Something went wrong",
    JobState.REJECTED: "[Banned prompt detected]",
}
_BLOCKED = {"code": "content_policy_violation", "type": "invalid_request_error", "message": "Not allowed"}


def task(engine: Engine, job: Job, state: JobState, urls: list[str]) -> dict[str, Any]:
    """Return a task of images or videos with files at `urls`."""
    made = [{"url": [url], "expires_at": job.created_ms // 1_000 + 86_400} for url in urls]
    found = {f"{job.artifacts[0].kind}s": made} if made else None
    return _enveloped(engine, job, state, found)


def music(engine: Engine, job: Job, state: JobState, urls: list[str]) -> dict[str, Any]:
    """Return a music task."""
    return _enveloped(engine, job, state, result(job, urls) if urls else None)


def _enveloped(engine: Engine, job: Job, state: JobState, found: Any) -> dict[str, Any]:
    failed = {"code": 500, "message": "Generation failed", "type": "task_failed"}
    errors = {JobState.FAILED: failed, JobState.REJECTED: _BLOCKED}
    data = {
        "id": job.id,
        "status": _STATUSES[state],
        "progress": engine.progress(job),
        "created": job.created_ms // 1_000,
        **({"result": found} if found is not None else {}),
        **({"error": errors[state]} if state in errors else {}),
    }
    return {"code": 200, "data": data}


def midjourney(engine: Engine, job: Job, state: JobState, urls: list[str]) -> dict[str, Any]:
    """Return a Midjourney task, which has no envelope."""
    action = job.model.rpartition("/")[2]
    is_waiting = action == "inpaint" and state is JobState.SUCCEEDED
    shown = {
        "id": job.id,
        "status": "MODAL" if is_waiting else _MJ_STATUSES[state],
        "action": action.upper().replace("-", "_"),
        "progress": f"{engine.progress(job)}%",
        "prompt": job.prompt,
        "fail_reason": _MJ_REASONS.get(state),
    }
    if not urls or is_waiting:
        return shown
    if action == "describe":
        return {**shown, "description": "1️⃣ a lighthouse at dusk --ar 16:9\n2️⃣ a tower by the sea"}
    if action == "video":
        return {**shown, "video_url": urls[0], "video_urls": urls}
    return {**shown, "grid_image_url": urls[0], "image_urls": urls, "buttons": _buttons(action, job)}


def _buttons(action: str, job: Job) -> list[dict[str, Any]]:
    if action in SINGLE:
        return [{"customId": f"MJ::Inpaint::1::{job.id}", "label": "Vary (Region)"}]
    numbers = range(1, len(job.artifacts) + 1)
    return [
        {"customId": f"MJ::JOB::upsample::{number}::{job.id}", "label": f"U{number}"} for number in numbers
    ]
