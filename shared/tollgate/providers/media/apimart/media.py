"""APIMart's wire format (docs/providers/apimart.md)."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.midjourney import REASONS
from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.apimart import facts
from tollgate.providers.media.apimart.mappings import SECTION_OF
from tollgate.providers.media.apimart.results import READERS
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    USD,
    meaning,
    percent_of,
    provider_error,
    refusal,
    stated_cost,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle
from tollgate.providers.runtime.reply import FIRST_CLIENT_ERROR, Reply


class Adapter(MediaAdapter):
    """Tasks, in sections that each have their own format for a job."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is APIMart's task id and the section of the job."""
        section = SECTION_OF[job.mapping]
        path = facts.SUBMIT_PATHS.get(section)
        read = partial(_submitted, section)
        if path is None:
            return Submission(f"/v1/{mapped.upstream}", mapped.body, read, _refusal)
        return Submission(path, {"model": mapped.upstream, **mapped.body}, read, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task, whose response has the result."""
        path = f"{facts.STATUS_PATHS[handle['section']]}/{quote(handle['task_id'], safe='')}"
        return StatusQuery(path, partial(_polled, handle))


def _submitted(section: str, reply: Reply) -> outcomes.SubmitOutcome:
    """Read HTTP 200: another code is a definite error; anything else is no readable response."""
    task_id, code = _task_id(reply.get("data")), reply.get("code")
    if code == facts.OK and task_id:
        return taken(reply, task_id=task_id, section=section)
    is_error = isinstance(code, int) and code >= FIRST_CLIENT_ERROR
    if is_error and not task_id:
        return _refusal(replace(reply, status=code))
    return outcomes.Lost(reply.detail())


def _polled(handle: Handle, reply: Reply) -> outcomes.PollOutcome:
    # Music and Midjourney tasks come with or without the envelope.
    data = reply.get("data") if isinstance(reply.get("data"), dict) else reply.json
    if not reply.ok or reply.get("code") not in (None, facts.OK) or not isinstance(data, dict):
        return outcomes.Unknown(reply.detail())
    return _state(handle, data, reply)


def _state(handle: Handle, data: dict[str, Any], reply: Reply) -> outcomes.PollOutcome:
    status = str(data.get("status")).lower()
    if status in facts.WAITING:
        return outcomes.Pending(percent_of(data.get("progress")))
    if status == facts.MODAL:
        # The customer continues with a separate task, so this one is done.
        return outcomes.Succeeded(output={"state": facts.MODAL}, reference=handle["task_id"])
    if status in facts.SUCCEEDED:
        found = READERS[handle["section"]](data)
        # The status may arrive before the result (public clients of its music tasks).
        if found is None:
            return outcomes.Unknown(reply.detail())
        return replace(found, reference=handle["task_id"], cost_micro_usd=stated_cost(data.get("cost"), USD))
    if status not in facts.FAILED:
        return outcomes.Unknown(reply.detail())
    return _failed_job(handle["section"], data, reply)


def _failed_job(section: str, data: dict[str, Any], reply: Reply) -> outcomes.Refusal:
    """Read a job that ended without a result: by the code of its error, or by its reason in text."""
    message = _message(data.get("error")) or _message(data.get("fail_reason"))
    reasons = REASONS if section == facts.MIDJOURNEY else {}
    known = meaning(facts.JOB_CODES, _names(data.get("error")), message, reply)
    return (
        known or meaning(reasons, [(message or "").lower()], message, reply) or provider_error(reply, message)
    )


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read a response that refuses a job: first by the code of its error, else by its status."""
    error = reply.get("error")
    return refusal(reply, _message(error) or _message(reply.get("message")), facts.CODES, _names(error))


def _names(error: Any) -> list[str]:
    names = (error.get("code"), error.get("type")) if isinstance(error, dict) else ()
    return [name for name in names if isinstance(name, str)]


def _message(error: Any) -> str | None:
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) and message else None


def _task_id(data: Any) -> str | None:
    """Return the task's id from the response to a submit: an array with one task."""
    ids = [entry.get("task_id") for entry in objects(data)]
    return next((one for one in ids if isinstance(one, str) and one), None)
