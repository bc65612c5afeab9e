"""Kling's wire format, which cannot cancel (docs/providers/kling.md)."""

from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.kling import facts
from tollgate.providers.media.kling.client import KlingHttp
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import meaning, provider_error, refusal
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Handle, ResultFile
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Videos of both generations of the API."""

    http_type = KlingHttp

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job.

        The handle is the path to poll. If the response is lost, the path has Tollgate's id, which Kling
        stores.
        """
        path = _ask_path(mapped.upstream, job.task_id, "external_task_ids")
        lost = outcomes.Submitted({"path": path, "lost": True})
        return Submission(
            f"/{mapped.upstream}",
            _body(mapped, job),
            partial(_submitted, mapped.upstream, lost),
            _refusal,
            lost=lambda _: lost,
        )

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a job, whose response has the files."""
        return StatusQuery(handle["path"], partial(_state, handle))


def _body(mapped: Mapped, job: Job) -> dict[str, Any]:
    """Return a body with the options of every job, which the newer generation has in a separate object."""
    options: dict[str, Any] = {"external_task_id": job.task_id, "watermark_info": {"enabled": False}}
    if job.callback_url is not None:
        options["callback_url"] = job.callback_url
    is_classic = mapped.upstream.startswith(facts.CLASSIC)
    return {**mapped.body, **(options if is_classic else {"options": options})}


def _ask_path(path: str, job_id: str, name: str) -> str:
    """Return the path to poll a job that was sent to `path`; `name` is the newer generation's parameter."""
    shown_id = quote(job_id, safe="")
    return (
        f"/{path}/{shown_id}" if path.startswith(facts.CLASSIC) else f"{facts.TASKS_PATH}?{name}={shown_id}"
    )


def _submitted(path: str, lost: outcomes.Submitted, reply: Reply) -> outcomes.SubmitOutcome:
    """Read HTTP 200: the job's id is `id`, or `task_id` in the older generation."""
    if reply.get("code") != facts.OK:
        return _refusal(reply)
    kling_id = reply.string("data", "id") or reply.string("data", "task_id")
    return lost if kling_id is None else outcomes.Submitted({"path": _ask_path(path, kling_id, "task_ids")})


def _refusal(reply: Reply) -> outcomes.Refusal | outcomes.Lost:
    """Read an error response: the envelope's code decides, with any HTTP status."""
    code, message = reply.get("code"), reply.string("message")
    if isinstance(code, int) and code != facts.OK:
        return meaning(facts.CODES, [str(code)], message, reply) or provider_error(reply)
    return outcomes.Lost(reply.detail()) if reply.ok else refusal(reply, message)


def _state(handle: Handle, reply: Reply) -> outcomes.PollOutcome:
    if handle.get("lost") and _is_nowhere(reply):
        return outcomes.Failed(FailureKind.LOST_ANSWER, "the job never arrived")
    job = _job(reply) if reply.get("code") == facts.OK else {}
    status = next(
        (said for said in (job.get("status"), job.get("task_status")) if isinstance(said, str)), None
    )
    if status in facts.WAITING:
        return outcomes.Pending()
    if status in facts.SUCCEEDED:
        return outcomes.Succeeded(_files(job))
    if status != facts.FAILED:
        return outcomes.Unknown(reply.detail())
    message = job.get("message") or job.get("task_status_msg")
    return provider_error(reply, message if isinstance(message, str) else None)


def _job(reply: Reply) -> dict[str, Any]:
    """Return the job in the response to a poll: an array of one, or an object."""
    data = reply.get("data")
    return next(iter(objects(data if isinstance(data, list) else [data])), {})


def _is_nowhere(reply: Reply) -> bool:
    """Return whether Kling reports that the job does not exist."""
    if reply.get("code") == facts.OK:
        return isinstance(reply.get("data"), list) and not reply.get("data")
    return bool(reply.get("code") == facts.MISSING)


def _files(job: dict[str, Any]) -> tuple[ResultFile, ...]:
    """Return the files: `outputs[]`, or `task_result.videos[]` in the older generation."""
    result = job.get("task_result")
    entries = objects(job.get("outputs")) + objects(
        result.get("videos") if isinstance(result, dict) else None
    )
    return tuple(ResultFile(entry["url"]) for entry in entries if isinstance(entry.get("url"), str))
