"""BFL's wire format (docs/providers/bfl.md). It cannot cancel, and documents no callbacks for FLUX 3."""

from urllib.parse import urlsplit

from tollgate.providers.mapping.reading import objects, texts
from tollgate.providers.media.bfl import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    provider_error,
    refusal,
    rejected,
    result_files,
    stated_cost,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Jobs that are polled only at the URL in BFL's response."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:  # noqa: ARG002 - the mapping says it all
        """Return the request for a job. The handle is that URL."""
        return Submission(f"/{mapped.upstream}", mapped.body, self._submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a job. The result's file exists for ten minutes."""
        return StatusQuery(handle["polling_url"], _state)

    def _submitted(self, reply: Reply) -> outcomes.SubmitOutcome:
        url = reply.string("polling_url")
        return taken(reply, polling_url=url if url and self._is_bfls(url) else None)

    def _is_bfls(self, url: str) -> bool:
        """Return whether the key may be sent to a URL: to this API, or to a host of BFL."""
        if self._http.owns(url):
            return True
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        return parts.scheme == "https" and (parts.hostname or "").endswith(facts.DOMAIN)


def _state(reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("status") or reply.string("state")
    if status in facts.WAITING:
        return outcomes.Pending()
    if status == facts.READY:
        files = result_files(reply.string("result", "sample"))
        return outcomes.Succeeded(files, cost_micro_usd=stated_cost(reply.get("cost"), facts.CREDIT_USD))
    if status in facts.MODERATED:
        reasons = ", ".join(texts(reply.get("details", facts.REASONS)))
        why = f"{status} ({reasons})" if reasons else status
        return rejected(RejectionKind.CONTENT, f"The provider refused the content: {why}.")
    return provider_error(reply) if status in facts.FAILED else outcomes.Unknown(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read `detail`: text, or an array of `{loc, msg}`."""
    detail = reply.get("detail")
    messages = [detail, *(entry.get("msg") for entry in objects(detail))]
    return refusal(reply, "; ".join(message for message in messages if isinstance(message, str)))
