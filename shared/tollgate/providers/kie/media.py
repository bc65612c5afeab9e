"""Media on kie: our input in kie's words, and its answers in ours."""

import json
from typing import Any
from urllib.parse import quote

from tollgate.providers.base import (
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
from tollgate.providers.http import (
    NoAnswerError,
    NotSentError,
    ProviderHttp,
    Reply,
    failure_of,
    handed_over,
    shown,
)
from tollgate.providers.kie import facts
from tollgate.providers.kie.mappings import MAPPINGS

FULL_PROGRESS = 100


class KieMedia:
    """Media generations through kie's jobs."""

    def __init__(self, http: ProviderHttp) -> None:
        self._http = http

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is kie's task id."""
        reply = handed_over(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        task_id = reply.get("data", "taskId")
        if reply.ok and reply.get("code") == facts.OK and isinstance(task_id, str) and task_id:
            return Submitted({"task_id": task_id})
        return _refusal(reply, task_id)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the state; it carries the files."""
        task_id = quote(handle["task_id"], safe="")
        try:
            reply = self._http.call("GET", f"{facts.STATUS_PATH}?taskId={task_id}")
        except (NotSentError, NoAnswerError) as exc:
            return Unknown(str(exc))
        state = reply.string("data", "state")
        if state in facts.WAITING:
            return Pending(_progress(reply.get("data", "progress")))
        if state == facts.SUCCESS:
            return Succeeded(_files(reply.get("data", "resultJson")))
        if state == facts.FAIL:
            # kie says why in free text only, so a refusal cannot be told from a fault: the next provider
            # decides.
            message = reply.string("data", "failMsg")
            return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())
        return Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        body = {"model": mapped.upstream, "input": mapped.body}
        return self._http.call("POST", facts.SUBMIT_PATH, body)


def _refusal(reply: Reply, task_id: Any) -> SubmitOutcome:
    """Read an answer without a task: the envelope's code says what it is, wherever it comes."""
    code = reply.get("code")
    is_code = isinstance(code, int) and not isinstance(code, bool)
    if not is_code and not reply.ok:
        failure = failure_of(reply)
        return failure or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    if not is_code or code == facts.OK or task_id is not None:
        return Lost(reply.detail())
    if code in facts.INVALID_INPUT:
        message = reply.string("msg")
        return Rejected(RejectionKind.INPUT, shown(message) if message else "The provider refused the input.")
    return Failed(facts.FAILURES.get(code, FailureKind.PROVIDER_ERROR), reply.detail())


def _progress(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= FULL_PROGRESS else None


def _files(result: Any) -> tuple[ResultFile, ...]:
    """Find the files in `resultJson`, an object as text: `{"resultUrls": […]}`."""
    try:
        found = json.loads(result) if isinstance(result, str) else None
    except (ValueError, RecursionError):
        found = None
    urls = found.get("resultUrls") if isinstance(found, dict) else None
    return tuple(ResultFile(url) for url in urls if isinstance(url, str)) if isinstance(urls, list) else ()
