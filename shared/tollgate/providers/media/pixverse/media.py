"""PixVerse's wire format (docs/providers/pixverse.md)."""

import time
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any

from tollgate.providers.media.pixverse import facts
from tollgate.providers.media.pixverse.mappings import Upload
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import failure_of, meaning, provider_error, rejected, result_files
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.http import NoAnswerError, NotSentError, ProviderHttp
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class PixVerseHttp(ProviderHttp):
    """The API, which requires a new id for each request."""

    def fresh_headers(self) -> Mapping[str, str]:
        """Return the header with the id."""
        return {facts.TRACE_HEADER: str(uuid.uuid4())}


class Adapter(MediaAdapter):
    """Videos; their source images are uploaded first."""

    http_type = PixVerseHttp

    def submit(self, job: Job) -> outcomes.SubmitOutcome:
        """Upload the images, then submit the job once."""
        try:
            return super().submit(job)
        except _UploadRefusedError as exc:
            return _refusal(exc.reply)

    def submission(self, job: Job, mapped: Mapped) -> Submission:  # noqa: ARG002 - the mapping says it all
        """Return the request for a job, after its uploads. The handle is the number of the video."""
        body = self._with_numbers(mapped.body, time.monotonic() + facts.UPLOADS_TIMEOUT_S)
        return Submission(f"/{mapped.upstream}", body, _submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a video; its number is also its reference for an extension."""
        return StatusQuery(f"{facts.RESULT_PATH}/{handle['video_id']}", partial(_state, handle))

    def _with_numbers(self, value: Any, deadline: float) -> Any:
        """Return `value` with the number of an uploaded image instead of every `Upload`."""
        match value:
            case Upload(url):
                return self._upload(url, deadline)
            case dict():
                return {name: self._with_numbers(item, deadline) for name, item in value.items()}
            case list():
                return [self._with_numbers(item, deadline) for item in value]
        return value

    def _upload(self, url: str, deadline: float) -> int:
        """Have PixVerse fetch an image; return its number there.

        Raises `NotSentError` if there is no response in time, because the job itself was not sent; and
        `_UploadRefusedError`.
        """
        if time.monotonic() > deadline:
            raise NotSentError("the uploads take too long")
        try:
            reply = self._http.call("POST", facts.UPLOAD_PATH, form={"image_url": url})
        except NoAnswerError as exc:
            raise NotSentError(f"an upload was not answered: {exc}") from exc
        img_id = _number(reply, "img_id")
        if img_id is None:
            raise _UploadRefusedError(reply)
        return img_id


class _UploadRefusedError(Exception):
    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.detail())
        self.reply = reply


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    video_id = _number(reply, "video_id")
    if video_id is not None:
        return outcomes.Submitted({"video_id": video_id})
    return outcomes.Lost(reply.detail()) if _code(reply) in (None, facts.OK) else _refusal(reply)


def _state(handle: Handle, reply: Reply) -> outcomes.PollOutcome:
    match _number(reply, "status"):
        case status if status in facts.WAITING:
            return outcomes.Pending()
        case facts.SUCCESS:
            files = result_files(reply.get("Resp", "url"))
            return outcomes.Succeeded(files, reference=str(handle["video_id"]))
        case facts.MODERATED:
            return rejected(RejectionKind.CONTENT, None)
        case facts.FAILED | facts.DELETED:
            return provider_error(reply)
    return outcomes.Unknown(reply.detail())


def _code(reply: Reply) -> Any:
    return reply.get("ErrCode")


def _number(reply: Reply, name: str) -> int | None:
    """Return a number from a successful response, else `None`."""
    value = reply.get("Resp", name)
    good = reply.ok and _code(reply) == facts.OK and isinstance(value, int) and not isinstance(value, bool)
    return value if good else None


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read an error: `ErrCode` decides, with any HTTP status."""
    found = meaning(facts.CODES, [str(_code(reply))], reply.string("ErrMsg"), reply)
    by_status = None if reply.ok else failure_of(reply)
    return found or by_status or provider_error(reply)
