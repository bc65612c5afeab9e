"""Media on MiniMax: our input in its words, and its answers in ours (docs/providers/minimax.md)."""

from urllib.parse import quote

from tollgate.providers.media.minimax import facts, first
from tollgate.providers.media.minimax.mappings import MAPPINGS
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
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import Reply, failure_of, send_poll, send_submit
from tollgate.providers.runtime.queued import drop


class MiniMaxMedia(MediaAdapter):
    """Media generations through MiniMax."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is MiniMax's task id, with the version if it is the first."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if job.mapping == facts.HAILUO:
            return first.submitted(reply)
        task_id = reply.string("task_id")
        if reply.ok and task_id:
            return Submitted({"task_id": task_id})
        return _refusal(reply)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the task; it carries the file, or in the first version says which one it is."""
        if first.made_here(handle):
            return first.poll(self._http, handle)
        reply = send_poll(lambda: self._http.call("GET", _path(facts.QUERY_PATH, handle)))
        if isinstance(reply, Unknown):
            return reply
        match reply.string("task", "status") or "":
            case status if status in facts.WAITING:
                return Pending()
            case facts.SUCCEEDED:
                url = reply.string("task", "content", "url")
                return Succeeded((ResultFile(url),) if url else ())
            case status if status in facts.ENDED:
                return _verdict(reply, facts.ENDED[status])
        return Unknown(reply.detail())

    def cancel(self, handle: Handle) -> bool:
        """Drop a task that still waits; one that runs goes on, and any of the first version."""
        if first.made_here(handle):
            return False
        task, record = _path(facts.QUERY_PATH, handle), _path(facts.CREATE_PATH, handle)
        return drop(self._http, task, record, ("task", "status"))

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        told = {} if job.callback_url is None else {"callback_url": job.callback_url}
        path = facts.FIRST_CREATE_PATH if job.mapping == facts.HAILUO else facts.CREATE_PATH
        return self._http.call("POST", path, {"model": mapped.upstream, **mapped.body, **told})


def _path(path: str, handle: Handle) -> str:
    return f"{path}/{quote(handle['task_id'], safe='')}"


def _refusal(reply: Reply) -> SubmitOutcome:
    """Read an answer without a task: its error type says what it is, wherever it comes."""
    kind, message = reply.string("error", "type"), reply.string("error", "message")
    found = verdict(facts.ERROR_TYPES, kind, message, reply)
    if found is not None:
        return found
    if reply.ok:
        return Lost(reply.detail())
    return failure_of(reply) or Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _verdict(reply: Reply, otherwise: FailureKind) -> Rejected | Failed:
    code, message = reply.get("task", "error", "code"), reply.string("task", "error", "message")
    return verdict(facts.CODES, str(code), message, reply) or Failed(otherwise, reply.detail())
