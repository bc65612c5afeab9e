"""Google's wire format: three APIs at one address (docs/providers/google.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from tollgate.providers.media.google import content, facts, interactions, operations
from tollgate.providers.media.google.errors import refusal_of
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle, ResultFile
from tollgate.providers.runtime.reply import Reply

Read = Callable[[Reply, Callable[[str], ResultFile]], outcomes.PollOutcome]


@dataclass(frozen=True, slots=True)
class _Surface:
    """An API: its path, how to read a 2xx response, and the field for the callback URL."""

    path: str
    read: Callable[[Reply], outcomes.SubmitOutcome]
    callback: str | None = None


# The API of each mapping.
_SURFACES: Mapping[str, _Surface] = {
    "nano-banana": _Surface("/models/{}:generateContent", content.answered),
    "gemini-omni": _Surface("/interactions", interactions.started, "webhook_config"),
    "veo-3.1": _Surface("/models/{}:predictLongRunning", operations.started, "webhookConfig"),
}


class Adapter(MediaAdapter):
    """Media generations of the Gemini API."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job.

        An image is in the response. The handle of a video names its interaction or its operation.
        """
        surface = _SURFACES[job.mapping]
        body = dict(mapped.body)
        if surface.callback is not None and job.callback_url is not None:
            body[surface.callback] = {"uris": [job.callback_url]}
        return Submission(surface.path.format(quote(mapped.upstream)), body, surface.read, refusal_of)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a video.

        The file exists for 48 hours, and reading it requires the key.
        """
        if "operation" in handle:
            return StatusQuery(f"/{quote(handle['operation'])}", partial(self._state, operations.outcome))
        return StatusQuery(_interaction(handle), partial(self._state, interactions.outcome))

    def cancel(self, handle: Handle) -> bool:
        """Cancel an interaction; an operation cannot be cancelled."""
        if "interaction" not in handle:
            return False
        reply = self._ask("POST", f"{_interaction(handle)}/cancel")
        return reply is not None and reply.string("status") == facts.CANCELLED

    def _state(self, read: Read, reply: Reply) -> outcomes.PollOutcome:
        found = read(reply, self._http.file)
        return self._once_readable(found) if isinstance(found, outcomes.Succeeded) else found

    def _once_readable(self, found: outcomes.Succeeded) -> outcomes.PollOutcome:
        """Return pending while files on this API are not ready to be read.

        A file in the state `FAILED` can often be read all the same, so reading it decides
        (docs/providers/google.md).
        """
        ours = [file.url for file in found.files if isinstance(file, ResultFile) and file.headers]
        states = [self._file_state(url) for url in ours if facts.DOWNLOAD in url]
        return outcomes.Pending() if facts.FILE_PROCESSING in states else found

    def _file_state(self, url: str) -> str | None:
        reply = self._ask("GET", url.partition(facts.DOWNLOAD)[0])
        return None if reply is None else reply.string("state")


def _interaction(handle: Handle) -> str:
    return f"/interactions/{quote(handle['interaction'], safe='')}"
