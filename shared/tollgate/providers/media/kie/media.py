"""Media on kie: our input in kie's words, and its answers in ours."""

import json
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.fields import upstream_of
from tollgate.providers.media.kie import facts, records
from tollgate.providers.media.kie.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Pending,
    PollOutcome,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.http import (
    Reply,
    failure_of,
    progress_of,
    refused,
    send_poll,
    send_submit,
    shown,
)

RECORDS = "records"


class KieMedia(MediaAdapter):
    """Media generations through kie's jobs."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is kie's task id and, for music, which records tell of it."""
        is_music = job.mapping == facts.MUSIC_MAPPING
        if is_music and job.callback_url is None:
            return Failed(FailureKind.NOT_CONFIGURED, "kie takes no music without an address to call back")
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        task_id = reply.get("data", "taskId")
        if reply.ok and reply.get("code") == facts.OK and isinstance(task_id, str) and task_id:
            return Submitted({"task_id": task_id, **(_records_of(job) if is_music else {})})
        return _refusal(reply, task_id, facts.MUSIC_CODES if is_music else facts.CODES)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the state; it carries the files."""
        reply = send_poll(lambda: self._http.call("GET", _status_path(handle)))
        if isinstance(reply, Unknown):
            return reply
        if RECORDS in handle:
            return records.outcome(reply, handle["task_id"])
        state = reply.string("data", "state")
        if state in facts.WAITING:
            return Pending(progress_of(reply.get("data", "progress")))
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
        hook = {} if job.callback_url is None else {"callBackUrl": job.callback_url}
        if job.mapping == facts.MUSIC_MAPPING:
            path = f"{facts.MUSIC_PATH}/{mapped.upstream}"
            return self._http.call("POST", path, {**mapped.body, **hook})
        body = {"model": mapped.upstream, "input": mapped.body, **hook}
        return self._http.call("POST", facts.SUBMIT_PATH, body)


def _records_of(job: Job) -> Handle:
    """Return the part of a music job's handle that says where its record is: beside where it was sent."""
    path = upstream_of(job, job.values["action"])
    return {RECORDS: path.partition("/")[0]}


def _status_path(handle: Handle) -> str:
    task_id = quote(handle["task_id"], safe="")
    if RECORDS in handle:
        return f"{facts.MUSIC_PATH}/{handle[RECORDS]}/{facts.RECORD}?taskId={task_id}"
    return f"{facts.STATUS_PATH}?taskId={task_id}"


def _refusal(reply: Reply, task_id: Any, codes: facts.Codes) -> SubmitOutcome:
    """Read an answer without a task: the envelope's code says what it is, wherever it comes."""
    code = reply.get("code")
    is_code = isinstance(code, int) and not isinstance(code, bool)
    if not is_code and not reply.ok:
        failure = failure_of(reply)
        return failure or Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    if not is_code or code == facts.OK or task_id is not None:
        return Lost(reply.detail())
    kind = codes.get(code, FailureKind.PROVIDER_ERROR)
    if isinstance(kind, RejectionKind):
        return refused(kind, reply.string("msg"))
    return Failed(kind, reply.detail())


def _files(result: Any) -> tuple[ResultFile, ...]:
    """Find the files in `resultJson`, an object as text: `{"resultUrls": […]}`."""
    try:
        found = json.loads(result) if isinstance(result, str) else None
    except (ValueError, RecursionError):
        found = None
    urls = found.get("resultUrls") if isinstance(found, dict) else None
    return tuple(ResultFile(url) for url in urls if isinstance(url, str)) if isinstance(urls, list) else ()
