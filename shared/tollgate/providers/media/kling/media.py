"""Media at Kling, which cannot cancel (docs/providers/kling.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.kling import facts
from tollgate.providers.media.kling.client import KlingHttp
from tollgate.providers.media.kling.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Mapped,
    Pending,
    PollOutcome,
    Rejected,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import (
    Reply,
    failure_of,
    refused,
    send_poll,
    send_submit,
    shown,
)


class KlingMedia(MediaAdapter):
    """Video generations of either generation of the API."""

    http_type = KlingHttp

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is the path to ask for it.

        A job whose answer was lost is asked for by our own id, which Kling keeps with it.
        """
        reply = send_submit(lambda: self._send(job))
        if isinstance(reply, Failed):
            return reply
        if isinstance(reply, Reply) and (reply.get("code") != facts.OK or not reply.ok):
            return _refusal(reply)
        path = MAPPINGS[job.mapping](job).upstream
        kling_id = _id(reply) if isinstance(reply, Reply) else None
        if kling_id is None:
            return Submitted({"path": _ask_path(path, job.task_id, "external_task_ids"), "lost": True})
        return Submitted({"path": _ask_path(path, kling_id, "task_ids")})

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the job; it carries the files."""
        reply = send_poll(lambda: self._http.call("GET", handle["path"]))
        if not isinstance(reply, Reply):
            return reply
        if handle.get("lost") and _is_nowhere(reply):
            return Failed(FailureKind.LOST_ANSWER, "the job never arrived")
        job = _job(reply) if reply.get("code") == facts.OK else {}
        status = job.get("status") or job.get("task_status")
        if status in facts.WAITING:
            return Pending()
        if status in facts.SUCCEEDED:
            return Succeeded(_files(job))
        return _failure(job, reply) if status == facts.FAILED else Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        return self._http.call("POST", f"/{mapped.upstream}", _body(mapped, job))


def _body(mapped: Mapped, job: Job) -> dict[str, Any]:
    """Return a body with the options of every job, which the newer generation has apart."""
    options: dict[str, Any] = {"external_task_id": job.task_id, "watermark_info": {"enabled": False}}
    if job.callback_url is not None:
        options["callback_url"] = job.callback_url
    is_classic = mapped.upstream.startswith(facts.CLASSIC)
    return {**mapped.body, **(options if is_classic else {"options": options})}


def _ask_path(path: str, job_id: str, name: str) -> str:
    """Return where to ask for a job that went to `path`; `name` is the newer generation's word for the id."""
    shown_id = quote(job_id, safe="")
    return (
        f"/{path}/{shown_id}" if path.startswith(facts.CLASSIC) else f"{facts.TASKS_PATH}?{name}={shown_id}"
    )


def _refusal(reply: Reply) -> Rejected | Failed | Lost:
    """Read an answer that is no success: the envelope's code says what it is, wherever it comes."""
    code, message = reply.get("code"), reply.string("message")
    if isinstance(code, int) and code != facts.OK:
        meant = verdict(facts.CODES, str(code), message, reply)
        return meant or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    if reply.ok:
        return Lost(reply.detail())
    return failure_of(reply) or refused(RejectionKind.INPUT, message)


def _id(reply: Reply) -> str | None:
    """Return Kling's id in a submit's answer: `id`, or `task_id` in the older generation."""
    return reply.string("data", "id") or reply.string("data", "task_id")


def _job(reply: Reply) -> dict[str, Any]:
    """Return the job in a poll's answer: an array of one or, also in the newer generation, an object."""
    data = reply.get("data")
    return next(iter(objects(data if isinstance(data, list) else [data])), {})


def _is_nowhere(reply: Reply) -> bool:
    """Return whether Kling says that it has no such job."""
    if reply.get("code") == facts.OK:
        return isinstance(reply.get("data"), list) and not reply.get("data")
    return bool(reply.get("code") == facts.MISSING)


def _failure(job: dict[str, Any], reply: Reply) -> Failed:
    """It says why in free text only, so a refusal cannot be told from a fault: the next provider decides."""
    message = job.get("message") or job.get("task_status_msg")
    detail = shown(message) if isinstance(message, str) else reply.detail()
    return Failed(FailureKind.PROVIDER_ERROR, detail)


def _files(job: dict[str, Any]) -> tuple[ResultFile, ...]:
    """Find the files: `outputs[]`, or `task_result.videos[]` in the older generation."""
    result = job.get("task_result")
    entries = objects(job.get("outputs")) + objects(
        result.get("videos") if isinstance(result, dict) else None
    )
    return tuple(ResultFile(entry["url"]) for entry in entries if isinstance(entry.get("url"), str))
