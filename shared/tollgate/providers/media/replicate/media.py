"""Replicate's wire format: predictions (docs/providers/replicate.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.replicate import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    provider_error,
    refusal_with_detail,
    rejected,
    result_files,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Predictions of Replicate's official models."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is the prediction's id.

        Without a `Prefer` header the response comes immediately, so that no worker waits for the result.
        """
        body: dict[str, Any] = {"input": mapped.body}
        if job.callback_url is not None:
            body |= {"webhook": job.callback_url, "webhook_events_filter": ["completed"]}
        return Submission(f"/models/{mapped.upstream}/predictions", body, _submitted, refusal_with_detail)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the prediction, which has the files for an hour."""
        return StatusQuery(_path(handle), _state)

    def cancel(self, handle: Handle) -> bool:
        """Cancel the prediction; its state in the response shows whether it was cancelled."""
        reply = self._ask("POST", f"{_path(handle)}/cancel")
        return reply is not None and reply.string("status") in facts.CANCELLED


def _path(handle: Handle) -> str:
    return f"/predictions/{quote(handle['id'], safe='')}"


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    return taken(reply, id=reply.string("id"))


def _state(reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("status")
    if status in facts.WAITING:
        return outcomes.Pending()
    if status == facts.SUCCEEDED:
        # One URL, or an array of URLs.
        return outcomes.Succeeded(result_files(reply.get("output")))
    if status == facts.FAILED:
        return _failure(reply)
    return provider_error(reply) if status in facts.CANCELLED else outcomes.Unknown(reply.detail())


def _failure(reply: Reply) -> outcomes.Refusal:
    error = reply.string("error")
    if error is not None and any(word in error.lower() for word in facts.MODERATION_WORDS):
        return rejected(RejectionKind.CONTENT, error)
    return provider_error(reply)
