"""Media on ModelArk: our input in its words, and its answers in ours (docs/providers/ark.md).

A video is a task that is asked for; images come as the answer to their request.
"""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.ark import facts, images
from tollgate.providers.media.ark.mappings import MAPPINGS
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
from tollgate.providers.runtime.queued import drop


class ArkMedia(MediaAdapter):
    """Media generations through ModelArk."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once: images are there then, a video's handle is its task id."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return _refusal(reply)
        if job.mapping in images.MAPPINGS:
            return _pictures(reply)
        task_id = reply.string("id")
        return Submitted({"task_id": task_id}) if task_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the task; it carries the files."""
        reply = send_poll(lambda: self._http.call("GET", _path(handle)))
        if isinstance(reply, Unknown):
            return reply
        match reply.string("status") or "":
            case status if status in facts.WAITING:
                return Pending()
            case facts.SUCCEEDED:
                return Succeeded(
                    _files(reply.get("content", "video_url"), reply.get("content", "last_frame_url"))
                )
            case status if status in facts.ENDED:
                return _verdict(reply, reply.get("error")) or Failed(facts.ENDED[status], reply.detail())
        return Unknown(reply.detail())

    def cancel(self, handle: Handle) -> bool:
        """Drop a task that still waits; one that runs goes on."""
        path = _path(handle)
        return drop(self._http, path, path, ("status",))

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in images.MAPPINGS:
            return self._http.call("POST", facts.IMAGES_PATH, body)
        told = {} if job.callback_url is None else {"callback_url": job.callback_url}
        return self._http.call("POST", facts.TASKS_PATH, body | told)


def _path(handle: Handle) -> str:
    return f"{facts.TASKS_PATH}/{quote(handle['task_id'], safe='')}"


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read an error: its code says more than the status, where we know it."""
    found = _verdict(reply, reply.get("error")) or failure_of(reply)
    if found is not None:
        return found
    message = reply.string("error", "message")
    return _fault(reply) if message is None else refused(RejectionKind.INPUT, message)


def _verdict(reply: Reply, error: Any) -> Rejected | Failed | None:
    said = error if isinstance(error, dict) else {}
    code, message = (
        text if isinstance(text := said.get(name), str) else None for name in ("code", "message")
    )
    return verdict(facts.CODES, code, message, reply)


def _fault(reply: Reply) -> Failed:
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _pictures(reply: Reply) -> SubmitOutcome:
    """Read `data`: each item is a picture or, inside HTTP 200, the reason why there is none."""
    items = objects(reply.get("data"))
    if files := _files(*(item.get("url") for item in items)):
        return Succeeded(files)
    errors = [item["error"] for item in items if "error" in item]
    if not errors:
        return Lost(reply.detail())
    return _verdict(reply, errors[0]) or _fault(reply)


def _files(*urls: Any) -> tuple[ResultFile, ...]:
    return tuple(ResultFile(url) for url in urls if isinstance(url, str) and url)
