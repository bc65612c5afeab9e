"""Media on PiAPI: our input in its words, and its answers in ours."""

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.outputs import storable
from tollgate.providers.mapping.reading import texts
from tollgate.providers.media.piapi import facts
from tollgate.providers.media.piapi.mappings import MAPPINGS
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
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.http import (
    FIRST_CLIENT_ERROR,
    Reply,
    failure_of,
    progress_of,
    refused,
    send_poll,
    send_submit,
    shown,
)

_FILES = ("image_urls", "temporary_image_urls", "image_url", "video", "video_url")
"""The first of these that is there: the pictures of a grid one by one before the grid itself."""


class PiapiMedia(MediaAdapter):
    """Media generations through PiAPI's tasks."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is PiAPI's task id."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        task_id, code = reply.string("data", "task_id"), reply.get("code")
        if not reply.ok:
            return _refusal(reply)
        if code == facts.OK and task_id:
            return Submitted({"task_id": task_id})
        is_error = isinstance(code, int) and code >= FIRST_CLIENT_ERROR
        return _refusal(replace(reply, status=code)) if is_error and not task_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the task; it carries the files."""
        reply = send_poll(lambda: self._http.call("GET", _path(handle)))
        if isinstance(reply, Unknown):
            return reply
        status = (reply.string("data", "status") or "").lower()
        output = reply.get("data", "output")
        if status in facts.WAITING:
            return Pending(progress_of(reply.get("data", "output", "progress")))
        if status == facts.COMPLETED:
            return replace(_result(output), reference=handle["task_id"])
        if status == facts.FAILED:
            # PiAPI says why in free text only, so a refusal cannot be told from a fault: the next
            # provider decides.
            message = reply.string("data", "error", "message") or reply.string("data", "error", "raw_message")
            return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())
        return Unknown(reply.detail())

    def cancel(self, handle: Handle) -> bool:
        """Ask to drop a task, which PiAPI does while it is pending (docs/providers/piapi.md)."""
        reply = send_poll(lambda: self._http.call("DELETE", _path(handle)))
        return isinstance(reply, Reply) and reply.ok and reply.get("code") == facts.OK

    def _send(self, job: Job) -> Reply:
        body = MAPPINGS[job.mapping](job).body
        hook = {"endpoint": job.callback_url, "secret": ""}
        config = {"config": {"webhook_config": hook}} if job.callback_url else {}
        return self._http.call("POST", facts.TASK_PATH, {**body, **config})


def _path(handle: Handle) -> str:
    return f"{facts.TASK_PATH}/{quote(handle['task_id'], safe='')}"


def _refusal(reply: Reply) -> Rejected | Failed:
    return failure_of(reply) or refused(RejectionKind.INPUT, reply.string("message"))


def _result(output: Any) -> Succeeded:
    """Find the files of a task or, where it has none, its words."""
    found = output if isinstance(output, dict) else {}
    for name in _FILES:
        if urls := texts(found.get(name)):
            return Succeeded(tuple(ResultFile(url) for url in urls))
    words = texts(found.get("description"))
    return Succeeded(output=storable({"description": words[0]}) if words else None)
