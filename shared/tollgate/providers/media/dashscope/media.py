"""DashScope's wire format (docs/providers/dashscope.md): tasks, and some images in the response."""

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
    """Tasks, which can be cancelled while queued."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. The handle is a task id, unless the image is in the response."""
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in images.AT_ONCE:
            return Submission(facts.IMAGE_AT_ONCE_PATH, body, _image, _refusal)
        path = facts.IMAGE_PATH if job.mapping in images.MAPPINGS else facts.VIDEO_PATH
        return Submission(path, body, _task, _refusal, headers=facts.ASYNC)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task, with its files. The state UNKNOWN decides nothing."""
        return StatusQuery(_path(handle), _state)

    def cancel(self, handle: Handle) -> bool:
        """Cancel a queued task; DashScope refuses to cancel others."""
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
    """Read an error: a known code is more exact than the status."""
    code = reply.string("code")
    found = refusal(reply, reply.string("message"), facts.CODES, [code])
    # An error without a code is no rejection: another server responded.
    return provider_error(reply) if isinstance(found, outcomes.Rejected) and code is None else found


def _refusal_inside(reply: Reply) -> outcomes.Refusal:
    """Read an error that comes with HTTP 200."""
    code, message = reply.string("code"), reply.string("message")
    return meaning(facts.CODES, [code], message, reply) or provider_error(reply)


def _files(reply: Reply) -> tuple[ResultFile, ...]:
    """Return the files: `video_url`, or `choices[].message.content[].image`."""
    choices = reply.get("output", "choices")
    parts = [part for choice in objects(choices) for part in objects(_content(choice))]
    return result_files(reply.get("output", "video_url"), *(part.get("image") for part in parts))


def _content(choice: dict[str, Any]) -> Any:
    message = choice.get("message")
    return message.get("content") if isinstance(message, dict) else None
