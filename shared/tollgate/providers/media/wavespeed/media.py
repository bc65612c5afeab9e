"""WaveSpeed's wire format: predictions in an envelope (docs/providers/wavespeed.md). It cannot cancel."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.wavespeed import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import meaning, provider_error, refusal, result_files, taken
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Predictions."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is the prediction's id."""
        hook = "" if job.callback_url is None else f"?webhook={quote(job.callback_url, safe='')}"
        return Submission(f"/{mapped.upstream}{hook}", mapped.body, _submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the result with its files."""
        return StatusQuery(f"/predictions/{quote(handle['id'], safe='')}/result", _state)


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    return taken(reply, id=reply.string("data", "id"))


def _refusal(reply: Reply) -> outcomes.Refusal:
    return refusal(reply, reply.string("message"), facts.CODES, [str(reply.get("code"))])


def _state(reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("data", "status")
    if status in facts.WAITING:
        return outcomes.Pending()
    if status == facts.COMPLETED:
        return outcomes.Succeeded(_files(reply.get("data", "outputs")))
    if status not in facts.FAILED:
        return outcomes.Unknown(reply.detail())
    said, message = str(reply.get("data", "code")), reply.string("data", "error") or None
    return meaning(facts.CODES, [said], message, reply) or provider_error(reply, message)


def _files(outputs: Any) -> tuple[outcomes.ResultFile, ...]:
    return result_files(*outputs) if isinstance(outputs, list) else ()
