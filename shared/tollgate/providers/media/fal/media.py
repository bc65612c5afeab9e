"""fal's wire format: a queue, whose results have their own status (docs/providers/fal.md)."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.fal import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import failure_of, provider_error, rejected
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind, ResultFile
from tollgate.providers.runtime.reply import FIRST_SERVER_ERROR, NOT_FOUND, Reply


class Adapter(MediaAdapter):
    """Jobs in fal's queue."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is the URLs in fal's response."""
        hook = "" if job.callback_url is None else f"?fal_webhook={quote(job.callback_url, safe='')}"
        return Submission(f"/{mapped.upstream}{hook}", mapped.body, self._queued, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a job. Once completed, the result is requested too."""
        return StatusQuery(handle["status_url"], partial(self._state, handle))

    def cancel(self, handle: Handle) -> bool:
        """Remove a job from the queue. A running job gets only a signal, and may still finish and cost money.

        So a job counts as cancelled only when fal no longer has it.
        """
        if "cancel_url" not in handle or self._ask("PUT", handle["cancel_url"]) is None:
            return False
        reply = self._ask("GET", handle["status_url"])
        return reply is not None and reply.status == NOT_FOUND

    def _queued(self, reply: Reply) -> outcomes.SubmitOutcome:
        handle = {name: reply.get(name) for name in ("status_url", "response_url")}
        # fal drops the subpath from these URLs, so they are used from the response and never built.
        if not all(self._http.owns(url) for url in handle.values()):
            return outcomes.Lost(reply.detail())
        if self._http.owns(cancel_url := reply.get("cancel_url")):
            handle["cancel_url"] = cancel_url
        return outcomes.Submitted(handle)

    def _state(self, handle: Handle, reply: Reply) -> outcomes.PollOutcome:
        status = reply.string("status")
        if status in facts.WAITING:
            return outcomes.Pending()
        if status != facts.COMPLETED:
            return outcomes.Unknown(reply.detail())
        return _result(self._http.call("GET", handle["response_url"]))


def _result(reply: Reply) -> outcomes.PollOutcome:
    """Read the result of a completed run: 2xx is the output; all else is an error in a format of fal's."""
    if reply.ok:
        is_output = isinstance(reply.json, dict)
        return outcomes.Succeeded(_files(reply.json)) if is_output else outcomes.Unknown(reply.detail())
    detail = reply.get("detail")
    if isinstance(detail, list):
        return _request_error(reply)
    if isinstance(detail, str) and reply.status not in facts.NOT_THE_RUN:
        return provider_error(reply)
    # A response of a proxy, or of fal about the credentials or the rate limit: the result may exist.
    return outcomes.Unknown(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    return failure_of(reply) or _request_error(reply)


def _request_error(reply: Reply) -> outcomes.Refusal:
    """Read the model's error format: `detail` is a list of `{loc, msg, type}`."""
    entries = objects(reply.get("detail"))
    types = {str(entry.get("type")) for entry in entries}
    message = "; ".join(entry["msg"] for entry in entries if isinstance(entry.get("msg"), str))
    if types & facts.CONTENT_ERRORS:
        return rejected(RejectionKind.CONTENT, message)
    retryable = reply.headers.get(facts.RETRYABLE_HEADER) == "true"
    if types & facts.PROVIDER_ERRORS or retryable or reply.status >= FIRST_SERVER_ERROR:
        return provider_error(reply)
    return rejected(RejectionKind.INPUT, message)


def _files(output: Mapping[str, Any]) -> tuple[ResultFile, ...]:
    """Return the files of a result: `images[]`, `image`, `video`, `audio`, `model_glb`, each with a `url`."""
    images = output.get("images")
    single = [output.get(name) for name in ("image", "video", "audio", "model_glb")]
    found = objects([*(images if isinstance(images, list) else []), *single])
    return tuple(ResultFile(file["url"]) for file in found if isinstance(file.get("url"), str))
