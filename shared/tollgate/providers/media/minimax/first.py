"""The first version of MiniMax's API: errors inside HTTP 200, and a separate request for the file.

It cannot cancel (docs/providers/minimax.md).
"""

from collections.abc import Callable
from urllib.parse import urlencode

from tollgate.providers.media.minimax import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import failure_of, meaning, provider_error, result_files
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply

_VERSION = 1


def made_here(handle: Handle) -> bool:
    """Return whether a job belongs to this version; handles of the second version have no version."""
    return handle.get("version") == _VERSION


def submitted(reply: Reply) -> outcomes.SubmitOutcome:
    """Read HTTP 200; the handle is MiniMax's task id, and this version."""
    task_id, code = reply.string("task_id"), reply.get("base_resp", "status_code")
    if task_id and code in (None, facts.FIRST_OK):
        return outcomes.Submitted({"task_id": task_id, "version": _VERSION})
    is_error = isinstance(code, int) and code != facts.FIRST_OK
    if task_id or not is_error:
        return outcomes.Lost(reply.detail())
    return _verdict(reply) or provider_error(reply)


def refusal(reply: Reply) -> outcomes.Refusal:
    """Return the meaning of an error response."""
    return _verdict(reply) or failure_of(reply) or provider_error(reply)


def path(handle: Handle) -> str:
    """Return the path to poll a task."""
    return f"{facts.FIRST_QUERY_PATH}?{urlencode({'task_id': handle['task_id']})}"


def state(get: Callable[[str], Reply], reply: Reply) -> outcomes.PollOutcome:
    """Read the task; when it is done, request its file with `get`."""
    status, found = reply.string("status") or "", _verdict(reply)
    if status in facts.FIRST_WAITING:
        return outcomes.Pending()
    if status == facts.FIRST_SUCCEEDED:
        return _with_file(get, reply)
    if status == facts.FIRST_FAILED:
        return found or provider_error(reply)
    # Other codes are about the poll itself, but rejected content can only be about the task.
    is_refused = isinstance(found, outcomes.Rejected) and found.kind is RejectionKind.CONTENT
    return found if found and is_refused else outcomes.Unknown(reply.detail())


def _with_file(get: Callable[[str], Reply], done: Reply) -> outcomes.PollOutcome:
    """Request the URL of a finished task's file; its id is a text or a number."""
    file_id = done.get("file_id")
    if not isinstance(file_id, str | int) or not file_id:
        return outcomes.Succeeded()
    reply = get(f"{facts.FILE_PATH}?{urlencode({'file_id': file_id})}")
    if reply.get("base_resp", "status_code") != facts.FIRST_OK:
        return outcomes.Unknown(reply.detail())
    return outcomes.Succeeded(result_files(reply.get("file", "download_url")))


def _verdict(reply: Reply) -> outcomes.Refusal | None:
    code, message = reply.get("base_resp", "status_code"), reply.string("base_resp", "status_msg")
    return meaning(facts.CODES, [str(code)], message, reply)
