"""APIMart's format of a task, in each of its sections ("Get Task Status"; Midjourney "Get task")."""

from typing import Any

from local.simulator.jobs import Job, JobState
from local.simulator.providers import table
from local.simulator.providers.apimart_models import SINGLE
from local.simulator.providers.apimart_music import result

_STATUSES = table.words("submitted", "processing", "completed", "failed")
_MJ_STATUSES = table.words("SUBMITTED", "IN_PROGRESS", "SUCCESS", "FAILURE")
_MJ_REASONS = {
    JobState.FAILED: "[Internal error] Something went wrong",
    JobState.REJECTED: "[Banned prompt detected]",
}
_BLOCKED = {"code": "content_policy_violation", "type": "invalid_request_error", "message": "Not allowed"}


def task(shown: table.Shown) -> dict[str, Any]:
    """Return a task of images or videos."""
    expires_s = shown.job.created_ms // 1_000 + 86_400
    made = [{"url": [url], "expires_at": expires_s} for url in shown.urls]
    return _enveloped(shown, {f"{shown.job.artifacts[0].kind}s": made} if made else None)


def music(shown: table.Shown) -> dict[str, Any]:
    """Return a music task."""
    return _enveloped(shown, result(shown.job, shown.urls) if shown.is_done else None)


def _enveloped(shown: table.Shown, found: Any) -> dict[str, Any]:
    failed = {"code": 500, "message": "Generation failed", "type": "task_failed"}
    errors = {JobState.FAILED: failed, JobState.REJECTED: _BLOCKED}
    data = {
        "id": shown.job.id,
        "status": _STATUSES[shown.state],
        "progress": shown.progress,
        "created": shown.job.created_ms // 1_000,
        **({"result": found} if found is not None else {}),
        **({"cost": cost} if shown.is_done and (cost := shown.job.directions.cost_usd) is not None else {}),
        **({"error": errors[shown.state]} if shown.state in errors else {}),
    }
    return {"code": 200, "data": data}


def midjourney(shown: table.Shown) -> dict[str, Any]:
    """Return a Midjourney task, which has no envelope."""
    job, urls = shown.job, shown.urls
    action = job.model.rpartition("/")[2]
    is_waiting = action == "inpaint" and shown.is_done
    task = {
        "id": job.id,
        "status": "MODAL" if is_waiting else _MJ_STATUSES[shown.state],
        "action": action.upper().replace("-", "_"),
        "progress": f"{shown.progress}%",
        "prompt": job.prompt,
        "fail_reason": _MJ_REASONS.get(shown.state),
    }
    if not urls or is_waiting:
        return task
    if action == "describe":
        return {**task, "description": "1️⃣ a lighthouse at dusk --ar 16:9\n2️⃣ a tower by the sea"}
    if action == "video":
        return {**task, "video_url": urls[0], "video_urls": urls}
    return {**task, "grid_image_url": urls[0], "image_urls": urls, "buttons": _buttons(action, job)}


def _buttons(action: str, job: Job) -> list[dict[str, Any]]:
    if action in SINGLE:
        return [{"customId": f"MJ::Inpaint::1::{job.id}", "label": "Vary (Region)"}]
    numbers = range(1, len(job.artifacts) + 1)
    return [
        {"customId": f"MJ::JOB::upsample::{number}::{job.id}", "label": f"U{number}"} for number in numbers
    ]
