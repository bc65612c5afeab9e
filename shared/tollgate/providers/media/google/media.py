"""Google's wire: three surfaces of one API (docs/providers/google.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from tollgate.providers.media.google import content, facts, interactions, operations
from tollgate.providers.media.google.errors import refusal_of
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Handle, ResultFile
from tollgate.providers.runtime.reply import Reply

Read = Callable[[Reply, Callable[[str], ResultFile]], outcomes.PollOutcome]


@dataclass(frozen=True, slots=True)
class _Surface:
    """Where a job goes, how a 2xx answer is read, and the field that names where to call back."""

    path: str
    read: Callable[[Reply], outcomes.SubmitOutcome]
    callback: str | None = None


# By mapping.
_SURFACES: Mapping[str, _Surface] = {
    "nano-banana": _Surface("/models/{}:generateContent", content.answered),
    "gemini-omni": _Surface("/interactions", interactions.started, "webhook_config"),
    "veo-3.1": _Surface("/models/{}:predictLongRunning", operations.started, "webhookConfig"),
}


class Adapter(MediaAdapter):
    """Media generations of the Gemini API."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """An image is in the answer; a video's handle names its interaction or its operation."""
        surface = _SURFACES[job.mapping]
        body = dict(mapped.body)
        if surface.callback is not None and job.callback_url is not None:
            body[surface.callback] = {"uris": [job.callback_url]}
        return Submission(surface.path.format(quote(mapped.upstream)), body, surface.read, refusal_of)

    def status(self, handle: Handle) -> StatusQuery:
        """A video is there for 48 hours, and reading it takes our key."""
        if "operation" in handle:
            return StatusQuery(f"/{quote(handle['operation'])}", partial(self._state, operations.outcome))
        return StatusQuery(_interaction(handle), partial(self._state, interactions.outcome))

    def cancel(self, handle: Handle) -> bool:
        """Ask to drop an interaction; an operation cannot be dropped."""
        if "interaction" not in handle:
            return False
        reply = self._ask("POST", f"{_interaction(handle)}/cancel")
        return reply is not None and reply.string("status") == facts.CANCELLED

    def _state(self, read: Read, reply: Reply) -> outcomes.PollOutcome:
        found = read(reply, self._http.file)
        return self._once_readable(found) if isinstance(found, outcomes.Succeeded) else found

    def _once_readable(self, found: outcomes.Succeeded) -> outcomes.PollOutcome:
        """Wait for files that lie on the API and are not ready to be read."""
        ours = [file.url for file in found.files if isinstance(file, ResultFile) and file.headers]
        states = [self._file_state(url) for url in ours if facts.DOWNLOAD in url]
        if facts.FILE_FAILED in states:
            return outcomes.Failed(FailureKind.BAD_RESULT, "the file of the result failed")
        return outcomes.Pending() if facts.FILE_PROCESSING in states else found

    def _file_state(self, url: str) -> str | None:
        reply = self._ask("GET", url.partition(facts.DOWNLOAD)[0])
        return None if reply is None else reply.string("state")


def _interaction(handle: Handle) -> str:
    return f"/interactions/{quote(handle['interaction'], safe='')}"
