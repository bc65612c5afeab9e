"""Media on PixVerse: our input in its words, and its answers in ours (docs/providers/pixverse.md)."""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from tollgate.providers.media.pixverse import facts
from tollgate.providers.media.pixverse.mappings import MAPPINGS, Upload
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
from tollgate.providers.runtime.http import (
    NoAnswerError,
    NotSentError,
    Reply,
    failure_of,
    refused,
    send_poll,
    send_submit,
)


class PixVerseMedia(MediaAdapter):
    """Media generations through PixVerse."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Send the images, then hand the job over once; its handle is the number of the video."""
        try:
            reply = send_submit(lambda: self._send(job))
        except _UploadRefusedError as exc:
            return _refusal(exc.reply)
        if not isinstance(reply, Reply):
            return reply
        video_id = _number(reply, "video_id")
        if video_id is not None:
            return Submitted({"video_id": video_id})
        if reply.ok and _code(reply) in (None, facts.OK):
            return Lost(reply.detail())
        return _refusal(reply)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the video; its number is how an extension names it."""
        reply = send_poll(lambda: self._call("GET", f"{facts.RESULT_PATH}/{handle['video_id']}"))
        if isinstance(reply, Unknown):
            return reply
        match _number(reply, "status"):
            case status if status in facts.WAITING:
                return Pending()
            case facts.SUCCESS:
                url = reply.string("Resp", "url")
                return Succeeded((ResultFile(url),) if url else (), reference=str(handle["video_id"]))
            case facts.MODERATED:
                return refused(RejectionKind.CONTENT, None)
            case facts.FAILED | facts.DELETED:
                return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
        return Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body = self._with_numbers(mapped.body, time.monotonic() + facts.UPLOADS_TIMEOUT_S)
        return self._call("POST", f"/{mapped.upstream}", body)

    def _with_numbers(self, value: Any, deadline: float) -> Any:
        """Return `value` with the number of an image in the place of every `Upload`."""
        match value:
            case Upload(url):
                return self._upload(url, deadline)
            case dict():
                return {name: self._with_numbers(item, deadline) for name, item in value.items()}
            case list():
                return [self._with_numbers(item, deadline) for item in value]
        return value

    def _upload(self, url: str, deadline: float) -> int:
        """Have PixVerse fetch an image; give its number there.

        Raises `NotSentError` where there is no answer in time, for the job itself was not sent, or
        `_UploadRefusedError`.
        """
        if time.monotonic() > deadline:
            raise NotSentError("the uploads take too long")
        try:
            reply = self._call("POST", facts.UPLOAD_PATH, form={"image_url": url})
        except NoAnswerError as exc:
            raise NotSentError(f"an upload was not answered: {exc}") from exc
        img_id = _number(reply, "img_id")
        if img_id is None:
            raise _UploadRefusedError(reply)
        return img_id

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Reply:
        return self._http.call(method, path, body, form=form, headers={facts.TRACE_HEADER: str(uuid.uuid4())})


class _UploadRefusedError(Exception):
    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.detail())
        self.reply = reply


def _code(reply: Reply) -> Any:
    return reply.get("ErrCode")


def _number(reply: Reply, name: str) -> int | None:
    """Return a number of a good answer."""
    value = reply.get("Resp", name)
    good = reply.ok and _code(reply) == facts.OK and isinstance(value, int) and not isinstance(value, bool)
    return value if good else None


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read an error: `ErrCode` says what it is, wherever it comes."""
    found = verdict(facts.CODES, str(_code(reply)), reply.string("ErrMsg"), reply)
    if found is not None or reply.ok:
        return found or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    return failure_of(reply) or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
