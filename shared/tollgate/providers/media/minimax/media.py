"""MiniMax's wire format (docs/providers/minimax.md)."""

from functools import partial
from urllib.parse import quote

from tollgate.providers.media.minimax import facts, first
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import failure_of, meaning, provider_error, result_files, taken
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Handle
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Tasks of both versions of the API; `first.py` reads the responses of the first."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job.

        The handle is MiniMax's task id, with the version if it is the first.
        """
        hook = {} if job.callback_url is None else {"callback_url": job.callback_url}
        body = {"model": mapped.upstream, **mapped.body, **hook}
        if job.mapping == facts.HAILUO:
            return Submission(facts.FIRST_CREATE_PATH, body, first.submitted, first.refusal)
        return Submission(facts.CREATE_PATH, body, _submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task.

        The response has the file or, in the first version, the file's id.
        """
        if first.made_here(handle):
            return StatusQuery(first.path(handle), partial(first.state, partial(self._http.call, "GET")))
        return StatusQuery(_path(facts.QUERY_PATH, handle), _state)

    def cancel(self, handle: Handle) -> bool:
        """Cancel a queued task; a running task and any task of the first version continue."""
        if first.made_here(handle):
            return False
        task, record = _path(facts.QUERY_PATH, handle), _path(facts.CREATE_PATH, handle)
        return self._drop_queued(task, record, ("task", "status"))


def _path(path: str, handle: Handle) -> str:
    return f"{path}/{quote(handle['task_id'], safe='')}"


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    """Read HTTP 200: without a task, its error type decides."""
    task_id = reply.string("task_id")
    return taken(reply, task_id=task_id) if task_id else _verdict(reply) or outcomes.Lost(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    return _verdict(reply) or failure_of(reply) or provider_error(reply)


def _verdict(reply: Reply) -> outcomes.Refusal | None:
    kind, message = reply.string("error", "type"), reply.string("error", "message")
    return meaning(facts.ERROR_TYPES, [kind], message, reply)


def _state(reply: Reply) -> outcomes.PollOutcome:
    match reply.string("task", "status") or "":
        case status if status in facts.WAITING:
            return outcomes.Pending()
        case facts.SUCCEEDED:
            return outcomes.Succeeded(result_files(reply.get("task", "content", "url")))
        case status if status in facts.ENDED:
            return _ended(reply, facts.ENDED[status])
    return outcomes.Unknown(reply.detail())


def _ended(reply: Reply, otherwise: FailureKind) -> outcomes.Refusal:
    code, message = reply.get("task", "error", "code"), reply.string("task", "error", "message")
    return meaning(facts.CODES, [str(code)], message, reply) or outcomes.Failed(otherwise, reply.detail())
