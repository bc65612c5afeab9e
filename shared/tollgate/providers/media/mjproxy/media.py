"""The wire format of a midjourney-proxy, which cannot cancel (docs/providers/mjproxy.md)."""

from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.midjourney import REASONS
from tollgate.providers.media.mjproxy import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    failure_of,
    meaning,
    percent_of,
    provider_error,
    rejected,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Tasks; each is the submit of an action."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is the server's task id."""
        hook = {} if job.callback_url is None else {"notifyHook": job.callback_url}
        return Submission(f"/{mapped.upstream}", {**mapped.body, **hook}, _submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for a task with its file: four images are one file, which an upscale splits."""
        path = f"{facts.TASK_PATH}/{quote(handle['task_id'], safe='')}/fetch"
        return StatusQuery(path, partial(self._state, handle))

    def _state(self, handle: Handle, reply: Reply) -> outcomes.PollOutcome:
        status = reply.string("status") or ""
        if status in facts.WAITING:
            return outcomes.Pending(percent_of(reply.get("progress")))
        if status == facts.SUCCEEDED:
            is_video = reply.string("action") == facts.VIDEO
            url = reply.string("videoUrl" if is_video else "imageUrl")
            return outcomes.Succeeded((self._http.file(url),) if url else (), reference=handle["task_id"])
        return _failed_job(reply) if status in facts.FAILED else outcomes.Unknown(reply.detail())


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    code = reply.get("code")
    if code in facts.TAKEN:
        return taken(reply, task_id=_task_id(reply.get("result")))
    return _refusal(reply) if isinstance(code, int) else outcomes.Lost(reply.detail())


def _task_id(result: Any) -> str | None:
    """Return the task's id from the response to a submit: a text or, from older servers, a number."""
    is_number = isinstance(result, int) and not isinstance(result, bool)
    return str(result) if is_number else result if isinstance(result, str) and result else None


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read a refused submit: by its code, with any HTTP status, else by its status."""
    code, message = reply.get("code"), reply.string("description")
    known = meaning(facts.CODES, [str(code)], message, reply)
    by_status = None if reply.ok else failure_of(reply)
    if found := known or by_status:
        return found
    # Relays use one code, with HTTP 400, both for a bad request and for a lack of the operator's credit.
    return provider_error(reply) if isinstance(code, int) else rejected(RejectionKind.INPUT, message)


def _failed_job(reply: Reply) -> outcomes.Refusal:
    """Read a task that ended without a result: its reason is Midjourney's text."""
    reason = reply.string("failReason")
    return meaning(REASONS, [(reason or "").lower()], reason, reply) or provider_error(reply, reason)
