"""xAI's wire format: images are in the response, videos are jobs (docs/providers/xai.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.xai import facts
from tollgate.providers.media.xai.mappings import VIDEOS
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    progress_of,
    provider_error,
    refusal,
    rejected,
    result_files,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Handle, RejectionKind, ResultFile
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Images and videos; xAI cannot cancel, and has no callbacks."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. A video's handle is its request id."""
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in VIDEOS:
            return Submission(facts.VIDEO_PATH, body, _video_request, _refusal)
        path = facts.EDIT_PATH if "image" in mapped.body else facts.IMAGE_PATH
        return Submission(path, body, _images, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a video, whose response has its URL."""
        path = f"{facts.VIDEO_STATUS_PATH}/{quote(handle['request_id'], safe='')}"
        return StatusQuery(path, _state)


def _video_request(reply: Reply) -> outcomes.SubmitOutcome:
    return taken(reply, request_id=reply.string("request_id"))


def _images(reply: Reply) -> outcomes.Succeeded | outcomes.Refusal | outcomes.Lost:
    """Read `data`: moderation removes images from it, or marks them."""
    data = reply.get("data")
    if not isinstance(data, list):
        return outcomes.Lost(reply.detail())
    found = [entry for entry in data if isinstance(entry, dict)]
    shown = [entry for entry in found if entry.get("respect_moderation") is not False]
    files = tuple(ResultFile(entry["url"]) for entry in shown if _is_text(entry.get("url")))
    if files:
        return outcomes.Succeeded(files)
    if shown or len(found) < len(data):
        return outcomes.Lost(reply.detail())
    return rejected(RejectionKind.CONTENT, None)


def _state(reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("status")
    if reply.status == facts.ACCEPTED or status == facts.PENDING:
        return outcomes.Pending(progress_of(reply.get("progress")))
    if reply.status == facts.ENDED_BADLY:
        return _ended(reply)
    # The response for a finished video may have only the video.
    if status == facts.DONE or (status is None and reply.ok and reply.string("video", "url")):
        return _video(reply)
    if status == facts.EXPIRED:
        return outcomes.Failed(FailureKind.TIMED_OUT, reply.detail())
    return _failure(reply) if status == facts.FAILED else outcomes.Unknown(reply.detail())


def _ended(reply: Reply) -> outcomes.PollOutcome:
    """Read HTTP 400: the video was generated and rejected, unless it is about the key."""
    if _says(_message(reply), facts.KEY_WORDS):
        return outcomes.Unknown(reply.detail())
    return _failure(reply)


def _video(reply: Reply) -> outcomes.Succeeded | outcomes.Refusal:
    if reply.get("video", "respect_moderation") is False:
        return rejected(RejectionKind.CONTENT, None)
    return outcomes.Succeeded(result_files(reply.get("video", "url")))


def _failure(reply: Reply) -> outcomes.Refusal:
    """Return the meaning of a failed video's error."""
    message = _message(reply)
    if _says(message, facts.MODERATION_WORDS):
        return rejected(RejectionKind.CONTENT, message)
    if reply.string("error", "code") == facts.INVALID:
        return rejected(RejectionKind.INPUT, message)
    return provider_error(reply)


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read an error in both formats."""
    message = _message(reply)
    if _says(message, facts.MODERATION_WORDS):
        return rejected(RejectionKind.CONTENT, message)
    if _says(message, facts.KEY_WORDS):
        return outcomes.Failed(FailureKind.REFUSED_US, reply.detail())
    return refusal(reply, message)


def _message(reply: Reply) -> str | None:
    """Return the text of `{"code", "error"}` or of `{"error": {"message", …}}`."""
    return reply.string("error") or reply.string("error", "message")


def _says(message: str | None, words: tuple[str, ...]) -> bool:
    return message is not None and any(word in message.lower() for word in words)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""
