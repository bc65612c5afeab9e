"""Media at a midjourney-proxy, which cannot cancel: our input in its words, and its answers in ours."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.midjourney import REASONS
from tollgate.providers.media.mjproxy import facts
from tollgate.providers.media.mjproxy.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Pending,
    PollOutcome,
    Rejected,
    RejectionKind,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import (
    Reply,
    failure_of,
    percent_of,
    refused,
    send_poll,
    send_submit,
    shown,
)


class MjProxyMedia(MediaAdapter):
    """Midjourney generations through a midjourney-proxy."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is the server's task id."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        code, task_id = reply.get("code"), _task_id(reply.get("result"))
        if not reply.ok:
            return _refusal(reply, code)
        if code in facts.TAKEN:
            return Submitted({"task_id": task_id}) if task_id else Lost(reply.detail())
        return _refusal(reply, code) if isinstance(code, int) else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the task; it carries the file: four pictures are one, and cut apart by an upscale."""
        path = f"{facts.TASK_PATH}/{quote(handle['task_id'], safe='')}/fetch"
        reply = send_poll(lambda: self._http.call("GET", path))
        if isinstance(reply, Unknown):
            return reply
        status = reply.string("status") or ""
        if status in facts.WAITING:
            return Pending(percent_of(reply.get("progress")))
        if status == facts.SUCCEEDED:
            is_video = reply.string("action") == facts.VIDEO
            url = reply.string("videoUrl" if is_video else "imageUrl")
            return Succeeded((self._http.file(url),) if url else (), reference=handle["task_id"])
        return _failed_job(reply) if status in facts.FAILED else Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        hook = {} if job.callback_url is None else {"notifyHook": job.callback_url}
        return self._http.call("POST", f"/{mapped.upstream}", {**mapped.body, **hook})


def _task_id(result: Any) -> str | None:
    """Return the task of a submit's answer: a text or, from older servers, a number."""
    is_number = isinstance(result, int) and not isinstance(result, bool)
    return str(result) if is_number else result if isinstance(result, str) and result else None


def _refusal(reply: Reply, code: Any) -> Rejected | Failed:
    """Read an answer that takes no job: by its code, wherever it comes, else by its status."""
    message = reply.string("description")
    known = verdict(facts.CODES, str(code), message, reply)
    by_status = None if reply.ok else failure_of(reply)
    if found := known or by_status:
        return found
    # A relay has one code, and HTTP 400, for a bad request and for our own credit that is used up.
    if isinstance(code, int):
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    return refused(RejectionKind.INPUT, message)


def _failed_job(reply: Reply) -> Rejected | Failed:
    """Read a task that ended without a result: its reason is Midjourney's own words."""
    reason = reply.string("failReason")
    known = verdict(REASONS, (reason or "").lower(), reason, reply)
    return known or Failed(FailureKind.PROVIDER_ERROR, shown(reason) if reason else reply.detail())
