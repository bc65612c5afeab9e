"""Images and videos from this package. A job is only its handle: no state, no network."""

from functools import cache
from pathlib import Path

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.providers.media.test.directions import directions_of
from tollgate.providers.media.test.mappings import MAPPINGS
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import FailureKind, Handle, InlineFile, RejectionKind

FILES = Path(__file__).parent / "files"
# The progress, in percent, of a job that never ends.
ALMOST_DONE = 99


class Adapter:
    """Follows the directions in the prompt."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def submit(self, job: Job) -> outcomes.SubmitOutcome:
        """Accept the job, unless its prompt requests a rejection."""
        mapped = MAPPINGS[job.mapping](job)
        wanted = directions_of(mapped.body["prompt"])
        if wanted.reject:
            return outcomes.Rejected(RejectionKind.CONTENT, "The prompt asks for a rejection.")
        return outcomes.Submitted(
            {
                "file": mapped.upstream,
                "fail": wanted.fail,
                "expire": wanted.expire,
                "started_at_ms": self._clock.now_ms(),
                "slow_ms": wanted.slow_s * MS_PER_S,
            }
        )

    def poll(self, handle: Handle) -> outcomes.PollOutcome:
        """Return the state of the job from its handle and the time."""
        elapsed_ms, slow_ms = self._clock.now_ms() - handle["started_at_ms"], handle["slow_ms"]
        if elapsed_ms < slow_ms:
            return outcomes.Pending(max(0, 100 * elapsed_ms // slow_ms))
        if handle["expire"]:
            return outcomes.Pending(ALMOST_DONE)
        if handle["fail"]:
            # This kind does not count against the provider, because only this one task fails.
            return outcomes.Failed(FailureKind.BAD_RESULT, "the prompt asks for a failure")
        return outcomes.Succeeded((InlineFile(_file(handle["file"])),))

    def cancel(self, handle: Handle) -> bool:  # noqa: ARG002 - the protocol's shape
        """Return True, because nothing is running."""
        return True


@cache
def _file(name: str) -> bytes:
    return (FILES / name).read_bytes()
