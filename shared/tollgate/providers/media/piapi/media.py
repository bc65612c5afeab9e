"""PiAPI's wire format (docs/providers/piapi.md)."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.outputs import storable
from tollgate.providers.mapping.reading import texts
from tollgate.providers.media.piapi import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import progress_of, provider_error, refusal, result_files, taken
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle
from tollgate.providers.runtime.reply import FIRST_CLIENT_ERROR, Reply

# The first existing name counts: single images come before the grid with all of them.
_FILES = ("image_urls", "temporary_image_urls", "image_url", "video", "video_url")


class Adapter(MediaAdapter):
    """Tasks of PiAPI."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is PiAPI's task id."""
        if job.callback_url is None:
            return Submission(facts.TASK_PATH, mapped.body, _submitted, _refusal)
        hook = {"webhook_config": {"endpoint": job.callback_url, "secret": ""}}
        body = {**mapped.body, "config": {**mapped.body.get("config", {}), **hook}}
        return Submission(facts.TASK_PATH, body, _submitted, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task, whose response has the files."""
        return StatusQuery(_path(handle), partial(_state, handle))

    def cancel(self, handle: Handle) -> bool:
        """Cancel a task, which PiAPI supports while the task is pending."""
        reply = self._ask("DELETE", _path(handle))
        return reply is not None and reply.ok and reply.get("code") == facts.OK


def _path(handle: Handle) -> str:
    return f"{facts.TASK_PATH}/{quote(handle['task_id'], safe='')}"


def _submitted(reply: Reply) -> outcomes.SubmitOutcome:
    task_id, code = reply.string("data", "task_id"), reply.get("code")
    if code == facts.OK and task_id:
        return taken(reply, task_id=task_id)
    is_error = isinstance(code, int) and code >= FIRST_CLIENT_ERROR
    if is_error and not task_id:
        return _refusal(replace(reply, status=code))
    return outcomes.Lost(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    return refusal(reply, reply.string("message"))


def _state(handle: Handle, reply: Reply) -> outcomes.PollOutcome:
    status = (reply.string("data", "status") or "").lower()
    if status in facts.WAITING:
        return outcomes.Pending(progress_of(reply.get("data", "output", "progress")))
    if status == facts.COMPLETED:
        return replace(_result(reply.get("data", "output")), reference=handle["task_id"])
    if status == facts.FAILED:
        words = reply.string("data", "error", "message") or reply.string("data", "error", "raw_message")
        return provider_error(reply, words)
    return outcomes.Unknown(reply.detail())


def _result(output: Any) -> outcomes.Succeeded:
    """Return the files of a task or, if it has none, its text."""
    found = output if isinstance(output, dict) else {}
    for name in _FILES:
        if files := result_files(found.get(name)):
            return outcomes.Succeeded(files)
    words = texts(found.get("description"))
    return outcomes.Succeeded(output=storable({"description": words[0]}) if words else None)
