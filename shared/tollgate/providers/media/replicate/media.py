"""Media on Replicate: predictions (docs/providers/replicate.md)."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.replicate import facts
from tollgate.providers.media.replicate.mappings import MAPPINGS
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
from tollgate.providers.runtime.http import Reply, failure_of, refused, send_poll, send_submit


class ReplicateMedia(MediaAdapter):
    """Media generations through Replicate's official models."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is the prediction's id.

        Without a `Prefer` header the answer comes at once: waiting is for polls, not for a worker.
        """
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return failure_of(reply) or refused(RejectionKind.INPUT, reply.string("detail"))
        prediction_id = reply.string("id")
        return Submitted({"id": prediction_id}) if prediction_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the prediction; it carries the files for an hour."""
        reply = send_poll(lambda: self._http.call("GET", _path(handle)))
        if not isinstance(reply, Reply):
            return reply
        status = reply.string("status")
        if status in facts.WAITING:
            return Pending()
        if status == facts.SUCCEEDED:
            return Succeeded(_files(reply.get("output")))
        if status == facts.FAILED:
            return _failure(reply)
        if status in facts.CANCELLED:
            return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
        return Unknown(reply.detail())

    def cancel(self, handle: Handle) -> bool:
        """Ask to drop the prediction; its state afterwards tells whether it was dropped."""
        reply = send_poll(lambda: self._http.call("POST", f"{_path(handle)}/cancel"))
        return isinstance(reply, Reply) and reply.string("status") in facts.CANCELLED

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body: dict[str, Any] = {"input": mapped.body}
        if job.callback_url is not None:
            body |= {"webhook": job.callback_url, "webhook_events_filter": ["completed"]}
        return self._http.call("POST", f"/models/{mapped.upstream}/predictions", body)


def _path(handle: Handle) -> str:
    return f"/predictions/{quote(handle['id'], safe='')}"


def _failure(reply: Reply) -> Rejected | Failed:
    error = reply.string("error")
    if error is not None and any(word in error.lower() for word in facts.MODERATION_WORDS):
        return refused(RejectionKind.CONTENT, error)
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _files(output: Any) -> tuple[ResultFile, ...]:
    """Find the files of an output: one address, or an array of them."""
    found = output if isinstance(output, list) else [output]
    return tuple(ResultFile(url) for url in found if isinstance(url, str) and url)
