"""Media on APIMart: our input in its words, and its answers in ours."""

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.midjourney import REASONS
from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.apimart import facts
from tollgate.providers.media.apimart.mappings import MAPPINGS, SECTION_OF
from tollgate.providers.media.apimart.results import READERS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Codes,
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Pending,
    PollOutcome,
    Rejected,
    RejectionKind,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import (
    FIRST_CLIENT_ERROR,
    Reply,
    failure_of,
    percent_of,
    refused,
    send_poll,
    send_submit,
    shown,
)


class ApimartMedia(MediaAdapter):
    """Media generations through APIMart's tasks."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is APIMart's task id and the section that knows it."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        task_id = _task_id(reply.get("data"))
        code = reply.get("code")
        if reply.ok and code == facts.OK and task_id:
            return Submitted({"task_id": task_id, "section": SECTION_OF[job.mapping]})
        if not reply.ok:
            return _refusal(reply)
        # HTTP 200 with another code is an error that APIMart is sure of; anything else is no answer.
        is_error = isinstance(code, int) and code >= FIRST_CLIENT_ERROR
        return _refusal(replace(reply, status=code)) if is_error and not task_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the status; it carries the result."""
        path = f"{facts.STATUS_PATHS[handle['section']]}/{quote(handle['task_id'], safe='')}"
        reply = send_poll(lambda: self._http.call("GET", path))
        if isinstance(reply, Unknown):
            return reply
        # Music and Midjourney tasks come bare as well as in the envelope.
        data = reply.get("data") if isinstance(reply.get("data"), dict) else reply.json
        if not reply.ok or reply.get("code") not in (None, facts.OK) or not isinstance(data, dict):
            return Unknown(reply.detail())
        return _state(handle, data, reply)

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        path = facts.SUBMIT_PATHS.get(SECTION_OF[job.mapping])
        if path is None:
            return self._http.call("POST", f"/v1/{mapped.upstream}", mapped.body)
        return self._http.call("POST", path, {"model": mapped.upstream, **mapped.body})


def _state(handle: Handle, data: dict[str, Any], reply: Reply) -> PollOutcome:
    status = str(data.get("status")).lower()
    if status in facts.WAITING:
        return Pending(percent_of(data.get("progress")))
    if status == facts.MODAL:
        # The customer answers it with a task of its own, so this one is done.
        return Succeeded(output={"state": facts.MODAL}, reference=handle["task_id"])
    if status in facts.SUCCEEDED:
        found = READERS[handle["section"]](data)
        # The status may be there before the result is (public clients of its music tasks).
        return Unknown(reply.detail()) if found is None else replace(found, reference=handle["task_id"])
    if status not in facts.FAILED:
        return Unknown(reply.detail())
    return _failed_job(data, reply, REASONS if handle["section"] == facts.MIDJOURNEY else {})


def _failed_job(data: dict[str, Any], reply: Reply, reasons: Codes) -> Rejected | Failed:
    """Read a job that ended without a result: by its error's names, or by the words of its reason."""
    message = _message(data.get("error")) or _message(data.get("fail_reason"))
    known = _named(facts.JOB_CODES, data.get("error"), message, reply)
    known = known or verdict(reasons, (message or "").lower(), message, reply)
    return known or Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read an answer that refuses a job: by the error's own names first, else by its status."""
    error = reply.get("error")
    message = _message(error) or _message(reply.get("message"))
    known = _named(facts.CODES, error, message, reply) or failure_of(reply)
    return known or refused(RejectionKind.INPUT, message)


def _named(codes: Codes, error: Any, message: str | None, reply: Reply) -> Rejected | Failed | None:
    names = (error.get("code"), error.get("type")) if isinstance(error, dict) else ()
    verdicts = (verdict(codes, name, message, reply) for name in names if isinstance(name, str))
    return next((found for found in verdicts if found is not None), None)


def _message(error: Any) -> str | None:
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) and message else None


def _task_id(data: Any) -> str | None:
    """Return the task of a submit's answer: an array of one."""
    ids = [entry.get("task_id") for entry in objects(data)]
    return next((one for one in ids if isinstance(one, str) and one), None)
