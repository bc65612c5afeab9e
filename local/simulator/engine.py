"""The part of a provider that is not its wire format: jobs, counts, and the directions all follow alike."""

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

DEFAULT_DURATION_MS = {"image": 1_000, "video": 2_000, "audio": 2_000}
"""How long a job takes unless told otherwise, by the kind of its files."""
CALLBACK_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One submit before it is accepted; `refused_status` is the HTTP status it was told to answer."""

    model: str
    prompt: str
    directions: Directions
    refused_status: int | None


class Engine:
    """Takes one provider's submits and status requests."""

    def __init__(self, provider: str, store: JobStore, clock: Clock, duration_ms: int | None) -> None:
        self.provider = provider
        self._store = store
        self._clock = clock
        self._duration_ms = duration_ms
        self._calls: set[asyncio.Task[None]] = set()

    def receive(self, model: str, prompt: str) -> Visit:
        """Count a submit and return what its prompt says."""
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
        """Make and keep the job, then wait as long as its prompt says; `callback_url` is told when it ends.

        Raises `LostAnswerError` if the caller shall not hear of it.
        """
        duration_ms = visit.directions.slow_ms
        if duration_ms is None:
            duration_ms = self._duration_ms
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
        """Wait until a job is done, where the answer to its submit is the result; return how it ended.

        One that never ends keeps the caller waiting. Raises `GarbledAnswerError` where it is told.
        """
        # One more, as times are whole milliseconds: its files are not there before it is done.
        wait_ms = MAX_SECONDS * MS_PER_S if job.directions.stuck else job.duration_ms + 1
        await asyncio.sleep(wait_ms / MS_PER_S)
        if job.directions.garbage_answers:
            raise GarbledAnswerError
        return job.verdict

    def find(self, job_id: str) -> Job | None:
        """Return this provider's job of that id, or `None`."""
        job = self._store.find(job_id)
        return job if job is not None and job.provider == self.provider else None

    def poll(self, job: Job) -> JobState:
        """Count a status request and return the state; raises `GarbledAnswerError` while told to."""
        if self._store.count_poll(job) <= job.directions.garbage_answers:
            raise GarbledAnswerError
        return self.state(job)

    def fetch(self, job: Job) -> JobState:
        """Return the state for a result request; raises `GarbledAnswerError` where it is told for ever."""
        if job.directions.garbage_answers == ALWAYS:
            raise GarbledAnswerError
        return self.state(job)

    def state(self, job: Job) -> JobState:
        """Return the state now."""
        return job.state(self._clock.now_ms())

    def progress(self, job: Job) -> int:
        """Return the progress now, 0 to 100."""
        return job.progress(self._clock.now_ms())

    def now_ms(self) -> int:
        """Return the time now, in epoch milliseconds."""
        return self._clock.now_ms()

    def cancel(self, job: Job) -> None:
        """Take a job back; it stays, as cancelled."""
        self._store.cancel(job)

    def forget(self, job: Job) -> None:
        """Forget a job."""
        self._store.forget(job)

    def file_urls(self, request: Request, job: Job) -> list[str]:
        """Return where each of the job's files is served, on the host that the caller named."""
        names = [job.file_name(index) for index in range(len(job.artifacts))]
        return [f"{request.base_url}files/{job.id}/{name}" for name in names]


async def _call_back(url: str, job: Job) -> None:
    """Send the callback of a job that ended, once; whoever does not listen is not told again.

    The words are no provider's: nobody may rely on them.
    """
    await asyncio.sleep(job.duration_ms / MS_PER_S)
    async with httpx.AsyncClient(timeout=CALLBACK_TIMEOUT_S, verify=tls()) as client:
        with suppress(httpx.HTTPError):
            await client.post(url, json={"id": job.id, "status": "ended"})
