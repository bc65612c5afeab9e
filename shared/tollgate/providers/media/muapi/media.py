"""MuAPI's wire format (docs/providers/muapi.md). It cannot cancel."""

from urllib.parse import quote

from tollgate.providers.media.muapi import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import provider_error, refusal_with_detail, result_files, taken
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Predictions."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:  # noqa: ARG002 - the mapping says it all
        """Return the request for a job. The handle is the request id."""
        # Its format for an invalid input is unknown: `detail` is INFERRED.
        return Submission(f"/{mapped.upstream}", mapped.body, _submitted, refusal_with_detail)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the result with its files."""
        return StatusQuery(f"/predictions/{quote(handle['request_id'], safe='')}/result", _state)


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    return taken(reply, request_id=reply.string("request_id"))


def _state(reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("status")
    if status in facts.WAITING:
        return outcomes.Pending()
    if status == facts.COMPLETED:
        outputs = reply.get("outputs")
        return outcomes.Succeeded(result_files(*outputs) if isinstance(outputs, list) else ())
    if status in facts.FAILED:
        return provider_error(reply, reply.string("error"))
    return outcomes.Unknown(reply.detail())
