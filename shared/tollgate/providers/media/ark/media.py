"""ModelArk's wire format (docs/providers/ark.md): videos are tasks, images are in the response."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.ark import facts, images
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import (
    failure_of,
    meaning,
    provider_error,
    rejected,
    result_files,
    taken,
)
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, RejectionKind
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Tasks for videos, which can be cancelled while queued; images in the response."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job. A video's handle is its task id."""
        body = {"model": mapped.upstream, **mapped.body}
        if job.mapping in images.MAPPINGS:
            return Submission(facts.IMAGES_PATH, body, _images, _refusal)
        hook = {} if job.callback_url is None else {"callback_url": job.callback_url}
        return Submission(facts.TASKS_PATH, body | hook, _task, _refusal)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a task, whose response has the files."""
        return StatusQuery(_path(handle), _state)

    def cancel(self, handle: Handle) -> bool:
        """Cancel a queued task; a running task continues."""
        return self._drop_queued(_path(handle), _path(handle), ("status",))


def _path(handle: Handle) -> str:
    return f"{facts.TASKS_PATH}/{quote(handle['task_id'], safe='')}"


def _task(reply: Reply) -> outcomes.SubmitOutcome:
    return taken(reply, task_id=reply.string("id"))


def _images(reply: Reply) -> outcomes.SubmitOutcome:
    """Read `data`: each item is an image or, inside HTTP 200, the reason why it is missing."""
    items = objects(reply.get("data"))
    if files := result_files(*(item.get("url") for item in items)):
        return outcomes.Succeeded(files)
    errors = [item["error"] for item in items if "error" in item]
    if not errors:
        return outcomes.Lost(reply.detail())
    return _verdict(reply, errors[0]) or provider_error(reply)


def _state(reply: Reply) -> outcomes.PollOutcome:
    match reply.string("status") or "":
        case status if status in facts.WAITING:
            return outcomes.Pending()
        case facts.SUCCEEDED:
            content = reply.get("content", "video_url"), reply.get("content", "last_frame_url")
            return outcomes.Succeeded(result_files(*content))
        case status if status in facts.ENDED:
            return _verdict(reply, reply.get("error")) or outcomes.Failed(facts.ENDED[status], reply.detail())
    return outcomes.Unknown(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read an error: a known code is more exact than the status."""
    found = _verdict(reply, reply.get("error")) or failure_of(reply)
    if found is not None:
        return found
    message = reply.string("error", "message")
    # An error without ModelArk's format is no rejection: another server responded.
    return provider_error(reply) if message is None else rejected(RejectionKind.INPUT, message)


def _verdict(reply: Reply, error: Any) -> outcomes.Refusal | None:
    said = error if isinstance(error, dict) else {}
    code, message = (
        text if isinstance(text := said.get(name), str) else None for name in ("code", "message")
    )
    return meaning(facts.CODES, [code], message, reply)
