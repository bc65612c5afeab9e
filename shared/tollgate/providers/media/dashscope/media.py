"""DashScope's wire (docs/providers/dashscope.md): tasks, and some images that come as the answer."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.dashscope import facts, images
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import meaning, provider_error, refusal, result_files, taken
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, ResultFile
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Tasks, which may be dropped while they wait."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """The handle is a task id, where the image is not there at once."""
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in images.AT_ONCE:
            return Submission(facts.IMAGE_AT_ONCE_PATH, body, _image, _refusal)
        path = facts.IMAGE_PATH if job.mapping in images.MAPPINGS else facts.VIDEO_PATH
        return Submission(path, body, _task, _refusal, headers=facts.ASYNC)

    def status(self, handle: Handle) -> StatusQuery:
        """The task carries the files. One that DashScope calls UNKNOWN has no verdict."""
        return StatusQuery(_path(handle), _state)

    def cancel(self, handle: Handle) -> bool:
        """Drop a task that still waits; DashScope refuses it for any other."""
        reply = self._ask("POST", f"{_path(handle)}/cancel")
        return reply is not None and reply.ok and not reply.string("code")


def _path(handle: Handle) -> str:
    return f"{facts.TASKS_PATH}/{quote(handle['task_id'], safe='')}"


def _task(reply: Reply) -> outcomes.SubmitOutcome:
    if reply.string("code"):
        return _refusal_inside(reply)
    return taken(reply, task_id=reply.string("output", "task_id"))


def _image(reply: Reply) -> outcomes.SubmitOutcome:
    if reply.string("code"):
        return _refusal_inside(reply)
    files = _files(reply)
    return outcomes.Succeeded(files) if files else outcomes.Lost(reply.detail())


def _state(reply: Reply) -> outcomes.PollOutcome:
    match reply.string("output", "task_status"):
        case status if status in facts.WAITING:
            return outcomes.Pending()
        case facts.SUCCEEDED:
            return outcomes.Succeeded(_files(reply))
        case facts.FAILED:
            code, message = reply.string("output", "code"), reply.string("output", "message")
            return meaning(facts.CODES, [code], message, reply) or provider_error(reply)
        case facts.CANCELED:
            return provider_error(reply)
    return outcomes.Unknown(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read an error: its code says more than the status, where we know it."""
    code = reply.string("code")
    found = refusal(reply, reply.string("message"), facts.CODES, [code])
    # Without a code of its own it is no refusal of the request: something else answered.
    return provider_error(reply) if isinstance(found, outcomes.Rejected) and code is None else found


def _refusal_inside(reply: Reply) -> outcomes.Refusal:
    """Read an error that comes with HTTP 200."""
    code, message = reply.string("code"), reply.string("message")
    return meaning(facts.CODES, [code], message, reply) or provider_error(reply)


def _files(reply: Reply) -> tuple[ResultFile, ...]:
    """Find the files: `video_url`, or `choices[].message.content[].image`."""
    choices = reply.get("output", "choices")
    parts = [part for choice in objects(choices) for part in objects(_content(choice))]
    return result_files(reply.get("output", "video_url"), *(part.get("image") for part in parts))


def _content(choice: dict[str, Any]) -> Any:
    message = choice.get("message")
    return message.get("content") if isinstance(message, dict) else None
