"""PoYo's wire format (docs/providers/poyo.md)."""

from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.media.poyo import facts
from tollgate.providers.media.poyo.results import succeeded
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import failure_of, progress_of, provider_error, rejected
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Tasks; music has its own record."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is PoYo's task id and, for music, a mark."""
        body: dict[str, Any] = {"model": mapped.upstream, "input": mapped.body}
        if job.callback_url is not None:
            body["callback_url"] = job.callback_url
        more = {"music": True} if job.mapping == facts.MUSIC_MAPPING else {}
        return Submission(facts.SUBMIT_PATH, body, partial(_submitted, more), _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task, whose response has the files."""
        return StatusQuery(_status_path(handle), partial(_state, handle))


def _submitted(more: Handle, reply: Reply) -> outcomes.SubmitOutcome:
    """Read HTTP 200: another code is a definite error; anything else is no readable response."""
    task_id, code = reply.get("data", "task_id"), reply.get("code")
    if isinstance(task_id, str) and task_id and code == facts.ENVELOPE_OK:
        return outcomes.Submitted({"task_id": task_id, **more})
    said_no = isinstance(code, int) and code != facts.ENVELOPE_OK and task_id is None
    return provider_error(reply) if said_no else outcomes.Lost(reply.detail())


def _status_path(handle: Handle) -> str:
    task_id = quote(handle["task_id"], safe="")
    if handle.get("music"):
        return f"{facts.MUSIC_PATH}?task_id={task_id}"
    return f"{facts.STATUS_PATH}/{task_id}"


def _refusal(reply: Reply) -> outcomes.Refusal:
    if found := failure_of(reply):
        return found
    if reply.get("error", "type") != facts.INVALID_REQUEST:
        return provider_error(reply)
    return rejected(RejectionKind.INPUT, reply.string("error", "message"))


def _state(handle: Handle, reply: Reply) -> outcomes.PollOutcome:
    status = reply.string("data", "status")
    if status in facts.WAITING:
        return outcomes.Pending(progress_of(reply.get("data", "progress")))
    if status == facts.FINISHED:
        return succeeded(reply.get("data", "files"), handle["task_id"])
    if status == facts.FAILED:
        return provider_error(reply, reply.string("data", "error_message"))
    return outcomes.Unknown(reply.detail())
