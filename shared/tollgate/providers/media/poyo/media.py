"""Media on PoYo: our input in PoYo's words, and its answers in ours.

Source: docs/providers/poyo.md; PoYo's API manual.
"""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.poyo import facts
from tollgate.providers.media.poyo.mappings import MAPPINGS
from tollgate.providers.media.poyo.results import succeeded
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
    Unknown,
)
from tollgate.providers.runtime.http import (
    Reply,
    failure_of,
    progress_of,
    send_poll,
    send_submit,
    shown,
)


class PoyoMedia(MediaAdapter):
    """Media generations through PoYo."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is PoYo's task id and, for music, that it is one."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return failure_of(reply) or _request_error(reply)
        task_id = reply.get("data", "task_id")
        if isinstance(task_id, str) and task_id and reply.get("code") == facts.ENVELOPE_OK:
            music = {"music": True} if job.mapping == facts.MUSIC_MAPPING else {}
            return Submitted({"task_id": task_id, **music})
        # HTTP 200 with another code is an error that PoYo is sure of; anything else is no answer.
        code = reply.get("code")
        said_no = isinstance(code, int) and code != facts.ENVELOPE_OK and task_id is None
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail()) if said_no else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the status; it carries the files."""
        reply = send_poll(lambda: self._http.call("GET", _status_path(handle)))
        if isinstance(reply, Unknown):
            return reply
        status = reply.string("data", "status")
        if status in facts.WAITING:
            return Pending(progress_of(reply.get("data", "progress")))
        if status == facts.FINISHED:
            return succeeded(reply.get("data", "files"), handle["task_id"])
        if status == facts.FAILED:
            # PoYo says why in free text only, so a refusal cannot be told from a fault: the next
            # provider decides.
            message = reply.string("data", "error_message")
            return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())
        return Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body: dict[str, Any] = {"model": mapped.upstream, "input": mapped.body}
        if job.callback_url is not None:
            body["callback_url"] = job.callback_url
        return self._http.call("POST", facts.SUBMIT_PATH, body)


def _status_path(handle: Handle) -> str:
    task_id = quote(handle["task_id"], safe="")
    if handle.get("music"):
        return f"{facts.MUSIC_PATH}?task_id={task_id}"
    return f"{facts.STATUS_PATH}/{task_id}"


def _request_error(reply: Reply) -> Rejected | Failed:
    message = reply.string("error", "message")
    if reply.get("error", "type") != facts.INVALID_REQUEST:
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    return Rejected(RejectionKind.INPUT, shown(message) if message else "The provider refused the input.")
