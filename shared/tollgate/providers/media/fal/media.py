"""Media on fal: our input in fal's words, and fal's answers in ours (docs/providers/fal.md)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from tollgate.providers.media.fal import facts
from tollgate.providers.media.fal.mappings import MAPPINGS
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
    FIRST_SERVER_ERROR,
    NOT_FOUND,
    NoAnswerError,
    NotSentError,
    Reply,
    failure_of,
    send_submit,
    shown,
)


class FalMedia(MediaAdapter):
    """Media generations through fal's queue."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Queue the job once; its handle is the addresses that fal answers."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return failure_of(reply) or _request_error(reply)
        handle = {name: reply.get(name) for name in ("status_url", "response_url")}
        # fal drops the subpath from these addresses, so they are taken as answered, never built.
        if not all(self._http.owns(url) for url in handle.values()):
            return Lost(reply.detail())
        cancel_url = reply.get("cancel_url")
        return Submitted({**handle, "cancel_url": cancel_url} if self._http.owns(cancel_url) else handle)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the status and, once completed, for the result."""
        try:
            status = self._http.call("GET", handle["status_url"])
            if status.string("status") in facts.WAITING:
                return Pending()
            if status.string("status") != facts.COMPLETED:
                return Unknown(status.detail())
            return _verdict(self._http.call("GET", handle["response_url"]))
        except (NotSentError, NoAnswerError) as exc:
            return Unknown(str(exc))

    def cancel(self, handle: Handle) -> bool:
        """Take a job out of the queue; one that runs only gets a signal and may still end, and cost.

        So it counts as dropped when fal does not know it any more.
        """
        if "cancel_url" not in handle:
            return False
        try:
            self._http.call("PUT", handle["cancel_url"])
            return self._http.call("GET", handle["status_url"]).status == NOT_FOUND
        except (NotSentError, NoAnswerError):
            return False

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        told = "" if job.callback_url is None else f"?fal_webhook={quote(job.callback_url, safe='')}"
        return self._http.call("POST", f"/{mapped.upstream}{told}", mapped.body)


def _verdict(reply: Reply) -> PollOutcome:
    """Read the result of a completed run: 2xx is the output, all else is one of fal's error shapes."""
    if reply.ok:
        return Succeeded(_files(reply.json)) if isinstance(reply.json, dict) else Unknown(reply.detail())
    detail = reply.get("detail")
    if isinstance(detail, list):
        return _request_error(reply)
    if isinstance(detail, str) and reply.status not in facts.NOT_THE_RUN:
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    # An ingress or a proxy speaks, or fal about our credentials or our pace: the result may be there.
    return Unknown(reply.detail())


def _request_error(reply: Reply) -> Rejected | Failed:
    """Read the model's error shape: `detail` is a list of `{loc, msg, type}`."""
    detail = reply.get("detail")
    entries = [entry for entry in detail if isinstance(entry, dict)] if isinstance(detail, list) else []
    types = {str(entry.get("type")) for entry in entries}
    messages = [entry["msg"] for entry in entries if isinstance(entry.get("msg"), str)]
    message = shown("; ".join(messages)) or "The provider refused the input."
    if types & facts.CONTENT_ERRORS:
        return Rejected(RejectionKind.CONTENT, message)
    retryable = reply.headers.get(facts.RETRYABLE_HEADER) == "true"
    if types & facts.PROVIDER_ERRORS or retryable or reply.status >= FIRST_SERVER_ERROR:
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    return Rejected(RejectionKind.INPUT, message)


def _files(output: Mapping[str, Any]) -> tuple[ResultFile, ...]:
    """Find the files of a result: `images[]`, `image`, `video`, `audio`, each with a `url`."""
    images = output.get("images")
    single = [output.get(name) for name in ("image", "video", "audio")]
    found = [*(images if isinstance(images, list) else []), *single]
    urls = [file["url"] for file in found if isinstance(file, dict) and isinstance(file.get("url"), str)]
    return tuple(ResultFile(url) for url in urls)
