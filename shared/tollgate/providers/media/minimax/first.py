"""The first version of MiniMax's API: errors inside HTTP 200, and a file that is asked for by itself.

It has no cancelling (docs/providers/minimax.md).
"""

from urllib.parse import urlencode

from tollgate.providers.media.minimax import facts
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
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
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import ProviderHttp, Reply, failure_of, send_poll

_VERSION = 1


def made_here(handle: Handle) -> bool:
    """Return whether a job was made with this version; handles of the second one name none."""
    return handle.get("version") == _VERSION


def submitted(reply: Reply) -> SubmitOutcome:
    """Read the answer to a create; the handle is MiniMax's task id, and which version knows it."""
    task_id, code = reply.string("task_id"), reply.get("base_resp", "status_code")
    if reply.ok and task_id and code in (None, facts.FIRST_OK):
        return Submitted({"task_id": task_id, "version": _VERSION})
    is_error = isinstance(code, int) and code != facts.FIRST_OK
    if reply.ok and (task_id or not is_error):
        return Lost(reply.detail())
    by_status = None if reply.ok else failure_of(reply)
    return _verdict(reply) or by_status or Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def poll(http: ProviderHttp, handle: Handle) -> PollOutcome:
    """Ask for the task and, when it is done, for its file."""
    path = f"{facts.FIRST_QUERY_PATH}?{urlencode({'task_id': handle['task_id']})}"
    reply = send_poll(lambda: http.call("GET", path))
    if isinstance(reply, Unknown):
        return reply
    status, found = reply.string("status") or "", _verdict(reply)
    if status in facts.FIRST_WAITING:
        return Pending()
    if status == facts.FIRST_SUCCEEDED:
        return _with_file(http, reply)
    if status == facts.FIRST_FAILED:
        return found or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    # Any other code is about the question; that content is refused can only be about the task.
    is_refused = isinstance(found, Rejected) and found.kind is RejectionKind.CONTENT
    return found if found and is_refused else Unknown(reply.detail())


def _with_file(http: ProviderHttp, done: Reply) -> PollOutcome:
    """Ask where the file of a finished task lies; its id is a text or a number."""
    file_id = done.get("file_id")
    if not isinstance(file_id, str | int) or not file_id:
        return Succeeded()
    reply = send_poll(lambda: http.call("GET", f"{facts.FILE_PATH}?{urlencode({'file_id': file_id})}"))
    if isinstance(reply, Unknown):
        return reply
    if reply.get("base_resp", "status_code") != facts.FIRST_OK:
        return Unknown(reply.detail())
    url = reply.string("file", "download_url")
    return Succeeded((ResultFile(url),) if url else ())


def _verdict(reply: Reply) -> Rejected | Failed | None:
    code, message = reply.get("base_resp", "status_code"), reply.string("base_resp", "status_msg")
    return verdict(facts.CODES, str(code), message, reply)
