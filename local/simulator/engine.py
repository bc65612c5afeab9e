"""The common part of all providers: jobs, counts and directions. Wire formats are elsewhere."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import httpx
from starlette.requests import Request

from local.simulator.directions import ALWAYS, MAX_SECONDS, MS_PER_S, Directions, parse
from local.simulator.jobs import Job, JobState, JobStore
from local.simulator.media import Artifact
from local.simulator.wire import GarbledAnswerError, LostAnswerError
from tollgate.kit.clock import Clock
from tollgate.kit.http.outbound import tls

DEFAULT_DURATION_MS = {"image": 1_000, "video": 2_000, "audio": 2_000, "3d": 2_000}
"""The default duration of a job, by the kind of its files."""
CALLBACK_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Visit:
    """A submit before it is accepted. `refused_status` is the HTTP status that its directions require."""

    model: str
    prompt: str
    directions: Directions
    refused_status: int | None


class Engine:
    """Handles the submits and status requests of one provider."""

    def __init__(self, provider: str, store: JobStore, clock: Clock, duration_ms: int | None) -> None:
        self.provider = provider
        self._store = store
        self._clock = clock
        self.duration_ms = duration_ms
        self._calls: set[asyncio.Task[None]] = set()

    def receive(self, model: str, prompt: str) -> Visit:
        """Count a submit and return its directions."""
        directions = parse(prompt, self.provider)
        number = self._store.count_submit(self.provider, model, prompt)
        refusal = directions.refusal
        refused = refusal is not None and number <= refusal.times
        return Visit(model, prompt, directions, refusal.status if refusal and refused else None)

    async def accept(
        self,
        visit: Visit,
        job_id: str,
        owner: str,
        artifacts: Sequence[Artifact],
        callback_url: str | None = None,
    ) -> Job:
        """Create and store the job, then wait if the prompt says so. `callback_url` is called when it ends.

        Raises `LostAnswerError` if the response must be lost.
        """
        duration_ms = visit.directions.slow_ms
        if duration_ms is None:
            duration_ms = self.duration_ms
        if duration_ms is None:
            duration_ms = DEFAULT_DURATION_MS[artifacts[0].kind]
        job = Job(
            id=job_id,
            provider=self.provider,
            model=visit.model,
            owner=owner,
            prompt=visit.prompt,
            directions=visit.directions,
            artifacts=tuple(artifacts),
            created_ms=self._clock.now_ms(),
            duration_ms=duration_ms,
        )
        self._store.add(job)
        if callback_url and not visit.directions.stuck:
            self._calls.add(call := asyncio.create_task(_call_back(callback_url, job)))
            call.add_done_callback(self._calls.discard)
        await asyncio.sleep(visit.directions.hang_ms / MS_PER_S)
        if visit.directions.lost:
            raise LostAnswerError
        return job

    async def finish(self, job: Job) -> JobState:
        """Wait until a job is done, for providers whose response is the result. Return its final state.

        Waits up to `MAX_SECONDS` for a job that never ends. Raises `GarbledAnswerError` if directed.
        """
        # One more, because times are whole milliseconds and the job's files exist only after its end.
        wait_ms = MAX_SECONDS * MS_PER_S if job.directions.stuck else job.duration_ms + 1
        await asyncio.sleep(wait_ms / MS_PER_S)
        if job.directions.garbage_answers:
            raise GarbledAnswerError
        return job.verdict

    def find(self, job_id: str) -> Job | None:
        """Return this provider's job with that id, or `None`."""
        job = self._store.find(job_id)
        return job if job is not None and job.provider == self.provider else None

    def poll(self, job: Job) -> JobState:
        """Count a status request and return the state. Raises `GarbledAnswerError` while directed."""
        if self._store.count_poll(job) <= job.directions.garbage_answers:
            raise GarbledAnswerError
        return self.state(job)

    def fetch(self, job: Job) -> JobState:
        """Return the state for a result request.

        Raises `GarbledAnswerError` if directed for all responses.
        """
        if job.directions.garbage_answers == ALWAYS:
            raise GarbledAnswerError
        return self.state(job)

    def state(self, job: Job) -> JobState:
        """Return the current state."""
        return job.state(self._clock.now_ms())

    def progress(self, job: Job) -> int:
        """Return the current progress, 0 to 100."""
        return job.progress(self._clock.now_ms())

    def now_ms(self) -> int:
        """Return the current time in epoch milliseconds."""
        return self._clock.now_ms()

    def cancel(self, job: Job) -> None:
        """Cancel a job. It remains stored as cancelled."""
        self._store.cancel(job)

    def forget(self, job: Job) -> None:
        """Forget a job."""
        self._store.forget(job)

    def file_urls(self, request: Request, job: Job) -> list[str]:
        """Return the URLs of the job's files, on the host of the request."""
        names = [job.file_name(index) for index in range(len(job.artifacts))]
        return [f"{request.base_url}files/{job.id}/{name}" for name in names]


async def _call_back(url: str, job: Job) -> None:
    """Send the callback of a job that ended, once and without retries.

    Its body is not a provider's format, so that no adapter relies on it.
    """
    await asyncio.sleep(job.duration_ms / MS_PER_S)
    async with httpx.AsyncClient(timeout=CALLBACK_TIMEOUT_S, verify=tls()) as client:
        with suppress(httpx.HTTPError):
            await client.post(url, json={"id": job.id, "status": "ended"})
