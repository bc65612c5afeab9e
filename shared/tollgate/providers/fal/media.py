"""Media on fal: our input in fal's words, and fal's answers in ours (providers.md §1)."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.base import (
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
from tollgate.providers.fal import facts
from tollgate.providers.fal.mappings import MAPPINGS
from tollgate.providers.http import (
    FIRST_SERVER_ERROR,
    NoAnswerError,
    NotSentError,
    ProviderHttp,
    Reply,
    failure_of,
    handed_over,
    shown,
)


class FalMedia:
    """Media generations through fal's queue."""

    def __init__(self, http: ProviderHttp) -> None:
        self._http = http

    def submit(self, job: Job) -> SubmitOutcome:
        """Queue the job once; its handle is the two addresses that fal answers."""
        reply = handed_over(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return failure_of(reply) or _request_error(reply)
        handle = {name: reply.get(name) for name in ("status_url", "response_url")}
        # fal drops the subpath from these addresses, so they are taken as answered, never built.
        if not all(self._http.owns(url) for url in handle.values()):
            return Lost(reply.detail())
        return Submitted(handle)

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

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        return self._http.call("POST", f"/{mapped.upstream}", mapped.body)


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
