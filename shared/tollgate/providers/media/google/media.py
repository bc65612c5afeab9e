"""Media from Google: three surfaces of one API (docs/providers/google.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from tollgate.providers.media.google import content, facts, interactions, operations
from tollgate.providers.media.google.errors import refusal
from tollgate.providers.media.google.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Pending,
    PollOutcome,
    ResultFile,
    SubmitOutcome,
    Succeeded,
)
from tollgate.providers.runtime.http import Reply, send_poll, send_submit


@dataclass(frozen=True, slots=True)
class _Surface:
    """Where a job goes, how a 2xx answer is read, and the field that names where to call back."""

    path: str
    read: Callable[[Reply], SubmitOutcome]
    callback: str | None = None


_SURFACES: Mapping[str, _Surface] = {
    "nano-banana": _Surface("/models/{}:generateContent", content.answered),
    "gemini-omni": _Surface("/interactions", interactions.started, "webhook_config"),
    "veo-3.1": _Surface("/models/{}:predictLongRunning", operations.started, "webhookConfig"),
}
"""By mapping."""


class GoogleMedia(MediaAdapter):
    """Media generations of the Gemini API."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Have a picture made, or hand a video over, once."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        return _SURFACES[job.mapping].read(reply) if reply.ok else refusal(reply)

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for a video; it is there for 48 hours, and reading it takes our key."""
        is_operation = "operation" in handle
        path = f"/{quote(handle['operation'])}" if is_operation else _interaction(handle)
        reply = send_poll(lambda: self._http.call("GET", path))
        if not isinstance(reply, Reply):
            return reply
        read = operations.outcome if is_operation else interactions.outcome
        found = read(reply, self._http.file)
        return self._once_readable(found) if isinstance(found, Succeeded) else found

    def cancel(self, handle: Handle) -> bool:
        """Ask to drop an interaction; an operation cannot be dropped."""
        if "interaction" not in handle:
            return False
        reply = send_poll(lambda: self._http.call("POST", f"{_interaction(handle)}/cancel"))
        return isinstance(reply, Reply) and reply.string("status") == facts.CANCELLED

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        surface = _SURFACES[job.mapping]
        body = dict(mapped.body)
        if surface.callback is not None and job.callback_url is not None:
            body[surface.callback] = {"uris": [job.callback_url]}
        return self._http.call("POST", surface.path.format(quote(mapped.upstream)), body)

    def _once_readable(self, found: Succeeded) -> PollOutcome:
        """Wait for files that lie on the API and are not ready to be read."""
        ours = [file.url for file in found.files if isinstance(file, ResultFile) and file.headers]
        states = [self._state(url) for url in ours if facts.DOWNLOAD in url]
        if facts.FILE_FAILED in states:
            return Failed(FailureKind.BAD_RESULT, "the file of the result failed")
        return Pending() if facts.FILE_PROCESSING in states else found

    def _state(self, url: str) -> str | None:
        reply = send_poll(lambda: self._http.call("GET", url.partition(facts.DOWNLOAD)[0]))
        return reply.string("state") if isinstance(reply, Reply) else None


def _interaction(handle: Handle) -> str:
    return f"/interactions/{quote(handle['interaction'], safe='')}"
