"""Media from xAI: pictures, which are in the answer, and videos, which are jobs (docs/providers/xai.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.xai import facts
from tollgate.providers.media.xai.mappings import MAPPINGS, VIDEOS
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
    Reply,
    failure_of,
    progress_of,
    refused,
    send_poll,
    send_submit,
)


class XaiMedia(MediaAdapter):
    """Media generations at xAI, which cannot cancel and does not call back."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Have a picture made, or hand a video over, once; a video's handle is its request id."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return _refusal(reply)
        if job.mapping not in VIDEOS:
            return _pictures(reply)
        request_id = reply.string("request_id")
        return Submitted({"request_id": request_id}) if request_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for a video."""
        path = f"{facts.VIDEO_STATUS_PATH}/{quote(handle['request_id'], safe='')}"
        reply = send_poll(lambda: self._http.call("GET", path))
        if not isinstance(reply, Reply):
            return reply
        status = reply.string("status")
        if reply.status == facts.ACCEPTED or status == facts.PENDING:
            return Pending(progress_of(reply.get("progress")))
        if status == facts.DONE:
            return _video(reply)
        if status == facts.EXPIRED:
            return Failed(FailureKind.TIMED_OUT, reply.detail())
        return _failure(reply) if status == facts.FAILED else Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        picture_path = facts.EDIT_PATH if "image" in mapped.body else facts.IMAGE_PATH
        path = facts.VIDEO_PATH if job.mapping in VIDEOS else picture_path
        return self._http.call("POST", path, {"model": mapped.upstream, **mapped.body})


def _pictures(reply: Reply) -> Succeeded | Rejected | Lost:
    """Read `data`: moderation takes the pictures out of it, or marks them."""
    data = reply.get("data")
    if not isinstance(data, list):
        return Lost(reply.detail())
    found = [entry for entry in data if isinstance(entry, dict)]
    shown = [entry for entry in found if entry.get("respect_moderation") is not False]
    files = tuple(ResultFile(entry["url"]) for entry in shown if _is_text(entry.get("url")))
    if files:
        return Succeeded(files)
    return Lost(reply.detail()) if shown or len(found) < len(data) else refused(RejectionKind.CONTENT, None)


def _video(reply: Reply) -> Succeeded | Rejected:
    if reply.get("video", "respect_moderation") is False:
        return refused(RejectionKind.CONTENT, None)
    url = reply.string("video", "url")
    return Succeeded((ResultFile(url),) if url else ())


def _failure(reply: Reply) -> Rejected | Failed:
    """Read why a video failed."""
    message = _message(reply)
    if _says(message, facts.MODERATION_WORDS):
        return refused(RejectionKind.CONTENT, message)
    if reply.string("error", "code") == facts.INVALID:
        return refused(RejectionKind.INPUT, message)
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read an error of either shape."""
    message = _message(reply)
    if _says(message, facts.MODERATION_WORDS):
        return refused(RejectionKind.CONTENT, message)
    if _says(message, facts.KEY_WORDS):
        return Failed(FailureKind.REFUSED_US, reply.detail())
    return failure_of(reply) or refused(RejectionKind.INPUT, message)


def _message(reply: Reply) -> str | None:
    """Return the words of `{"code", "error"}` or of `{"error": {"message", …}}`."""
    return reply.string("error") or reply.string("error", "message")


def _says(message: str | None, words: tuple[str, ...]) -> bool:
    return message is not None and any(word in message.lower() for word in words)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""
