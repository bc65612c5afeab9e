"""Media on DashScope: our input in its words, and its answers in ours (docs/providers/dashscope.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.dashscope import facts, images
from tollgate.providers.media.dashscope.mappings import MAPPINGS
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
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import Reply, failure_of, refused, send_poll, send_submit


class DashScopeMedia(MediaAdapter):
    """Media generations through DashScope."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once: its handle is a task id, or its image is there at once."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok or reply.string("code"):
            return _refusal(reply)
        if job.mapping in images.AT_ONCE:
            files = _files(reply)
            return Succeeded(files) if files else Lost(reply.detail())
        task_id = reply.string("output", "task_id")
        return Submitted({"task_id": task_id}) if task_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the task; it carries the files. One that DashScope calls UNKNOWN has no verdict."""
        reply = send_poll(lambda: self._http.call("GET", _path(handle)))
        if isinstance(reply, Unknown):
            return reply
        match reply.string("output", "task_status"):
            case status if status in facts.WAITING:
                return Pending()
            case facts.SUCCEEDED:
                return Succeeded(_files(reply))
            case facts.FAILED:
                code, message = reply.string("output", "code"), reply.string("output", "message")
                return verdict(facts.CODES, code, message, reply) or _fault(reply)
            case facts.CANCELED:
                return _fault(reply)
        return Unknown(reply.detail())

    def cancel(self, handle: Handle) -> bool:
        """Drop a task that still waits; DashScope refuses it for any other."""
        reply = send_poll(lambda: self._http.call("POST", f"{_path(handle)}/cancel"))
        return isinstance(reply, Reply) and reply.ok and not reply.string("code")

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in images.AT_ONCE:
            return self._http.call("POST", facts.IMAGE_AT_ONCE_PATH, body)
        path = facts.IMAGE_PATH if job.mapping in images.MAPPINGS else facts.VIDEO_PATH
        return self._http.call("POST", path, body, headers=facts.ASYNC)


def _path(handle: Handle) -> str:
    return f"{facts.TASKS_PATH}/{quote(handle['task_id'], safe='')}"


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read an error: its code says more than the status, where we know it."""
    code, message = reply.string("code"), reply.string("message")
    found = verdict(facts.CODES, code, message, reply) or (None if reply.ok else failure_of(reply))
    if found is not None:
        return found
    return _fault(reply) if code is None or reply.ok else refused(RejectionKind.INPUT, message)


def _fault(reply: Reply) -> Failed:
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _files(reply: Reply) -> tuple[ResultFile, ...]:
    """Find the files: `video_url`, or `choices[].message.content[].image`."""
    choices = reply.get("output", "choices")
    parts = [part for choice in objects(choices) for part in objects(_content(choice))]
    urls = [reply.get("output", "video_url"), *(part.get("image") for part in parts)]
    return tuple(ResultFile(url) for url in urls if isinstance(url, str) and url)


def _content(choice: dict[str, Any]) -> Any:
    message = choice.get("message")
    return message.get("content") if isinstance(message, dict) else None
