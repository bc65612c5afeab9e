"""Media from BFL, which cannot cancel; that FLUX 3 calls back is not in its documentation."""

from urllib.parse import urlsplit

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.bfl import facts
from tollgate.providers.media.bfl.mappings import MAPPINGS
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


class BflMedia(MediaAdapter):
    """Media generations of FLUX at its vendor."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is the address that BFL answers, which no other replaces."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return failure_of(reply) or refused(RejectionKind.INPUT, _reason(reply))
        url = reply.string("polling_url")
        return Submitted({"polling_url": url}) if url and self._is_bfls(url) else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the result; its file is there for ten minutes."""
        reply = send_poll(lambda: self._http.call("GET", handle["polling_url"]))
        if not isinstance(reply, Reply):
            return reply
        status = reply.string("status")
        if status in facts.WAITING:
            return Pending()
        if status == facts.READY:
            sample = reply.string("result", "sample")
            return Succeeded((ResultFile(sample),) if sample else ())
        if status in facts.MODERATED:
            return Rejected(RejectionKind.CONTENT, f"The provider refused the content: {status}.")
        if status == facts.ERROR:
            return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
        return Unknown(reply.detail())

    def _is_bfls(self, url: str) -> bool:
        """Return whether our key may go to an address: to this API, or to a host of BFL's."""
        if self._http.owns(url):
            return True
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        return parts.scheme == "https" and (parts.hostname or "").endswith(facts.DOMAIN)

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        return self._http.call("POST", f"/{mapped.upstream}", mapped.body)


def _reason(reply: Reply) -> str | None:
    """Read `detail`: text, or an array of `{loc, msg}`."""
    detail = reply.get("detail")
    messages = [detail, *(entry.get("msg") for entry in objects(detail))]
    return "; ".join(message for message in messages if isinstance(message, str))
