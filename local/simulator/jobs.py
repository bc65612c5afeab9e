"""The jobs of all providers: the state of each at a given time, and counts of requests."""

from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from threading import Lock
from typing import Any

from local.simulator.directions import Directions
from local.simulator.media import Artifact

MAX_JOBS = 20_000
"""Stored jobs. The oldest is deleted for a new one. The largest load test creates fewer."""

QUEUE_SHARE = 4
"""A job is queued for a quarter of its duration."""

PROGRESS_END = 100


class JobState(StrEnum):
    """The state of a job. The last four are final."""

    QUEUED = "queued"
    """Accepted, but not started."""
    RUNNING = "running"
    """Started."""
    SUCCEEDED = "succeeded"
    """Its files exist."""
    FAILED = "failed"
    """Ended without files because of an error at the provider."""
    REJECTED = "rejected"
    """Ended without files because of its content."""
    CANCELLED = "cancelled"
    """Cancelled before it ran."""


@dataclass(frozen=True, slots=True)
class Job:
    """An accepted submit. Its state depends only on these fields and the time."""

    id: str
    provider: str
    model: str
    owner: str
    prompt: str
    directions: Directions
    artifacts: tuple[Artifact, ...]
    created_ms: int
    duration_ms: int
    is_cancelled: bool = False

    def state(self, now_ms: int) -> JobState:
        """Return the state at `now_ms` (epoch milliseconds)."""
        if self.is_cancelled:
            return JobState.CANCELLED
        age_ms = now_ms - self.created_ms
        if age_ms < self.duration_ms // QUEUE_SHARE:
            return JobState.QUEUED
        if age_ms < self.duration_ms or self.directions.stuck:
            return JobState.RUNNING
        return self.verdict

    @property
    def verdict(self) -> JobState:
        """Return the state that the job ends in."""
        if self.directions.reject:
            return JobState.REJECTED
        return JobState.FAILED if self.directions.fail else JobState.SUCCEEDED

    def progress(self, now_ms: int) -> int:
        """Return the progress at `now_ms`, 0 to 100. Only a job that has ended is at 100."""
        if self.directions.progress is not None:
            return self.directions.progress
        state = self.state(now_ms)
        if state is JobState.QUEUED:
            return 0
        if state is JobState.RUNNING:
            age_ms = now_ms - self.created_ms
            return min(age_ms * PROGRESS_END // max(self.duration_ms, 1), PROGRESS_END - 1)
        return PROGRESS_END

    def file_name(self, index: int) -> str:
        """Return the name of the job's file number `index`, from 0, e.g. `image-1.png`."""
        artifact = self.artifacts[index]
        return f"{artifact.kind}-{index + 1}.{artifact.suffix}"

    def artifact(self, file_name: str) -> Artifact | None:
        """Return the file with that name, or `None`."""
        names = {self.file_name(index): artifact for index, artifact in enumerate(self.artifacts)}
        return names.get(file_name)


@dataclass(slots=True)
class _Kept:
    job: Job
    polls: int = 0


@dataclass(slots=True)
class _Traffic:
    submits: int = 0
    accepted: int = 0
    polls: int = 0


class JobStore:
    """Stores jobs and counts in memory, up to a limit. Thread-safe."""

    def __init__(self, max_jobs: int = MAX_JOBS) -> None:
        self._max_jobs = max_jobs
        self._lock = Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._traffic: OrderedDict[tuple[str, str, str], _Traffic] = OrderedDict()

    def count_submit(self, provider: str, model: str, prompt: str) -> int:
        """Count a submit and return its number among submits of the same prompt and model, from 1."""
        with self._lock:
            traffic = self._traffic.setdefault((provider, model, prompt), _Traffic())
            traffic.submits += 1
            _drop_oldest(self._traffic, self._max_jobs)
            return traffic.submits

    def add(self, job: Job) -> None:
        """Store `job`, and delete the oldest job if there are too many."""
        with self._lock:
            self._kept[job.id] = _Kept(job)
            self._traffic_of(job).accepted += 1
            _drop_oldest(self._kept, self._max_jobs)

    def find(self, job_id: str) -> Job | None:
        """Return the job with that id, or `None`."""
        with self._lock:
            kept = self._kept.get(job_id)
            return None if kept is None else kept.job

    def of(self, provider: str) -> list[Job]:
        """Return a provider's jobs, the oldest first."""
        with self._lock:
            return [kept.job for kept in self._kept.values() if kept.job.provider == provider]

    def count_poll(self, job: Job) -> int:
        """Count a status request for `job` and return its number, from 1."""
        with self._lock:
            kept = self._kept.get(job.id, _Kept(job))
            kept.polls += 1
            self._traffic_of(job).polls += 1
            return kept.polls

    def cancel(self, job: Job) -> None:
        """Mark `job` as cancelled."""
        with self._lock:
            if job.id in self._kept:
                self._kept[job.id].job = replace(job, is_cancelled=True)

    def forget(self, job: Job) -> None:
        """Delete `job` and its counts."""
        with self._lock:
            self._kept.pop(job.id, None)

    def clear(self) -> None:
        """Delete all jobs and counts."""
        with self._lock:
            self._kept.clear()
            self._traffic.clear()

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per provider, model and prompt, the oldest first.

        A row has `provider`, `model`, `prompt`, `submits` (including refused submits), `accepted` and
        `polls`.
        """
        with self._lock:
            return [
                {"provider": provider, "model": model, "prompt": prompt, **asdict(traffic)}
                for (provider, model, prompt), traffic in self._traffic.items()
            ]

    def _traffic_of(self, job: Job) -> _Traffic:
        return self._traffic.get((job.provider, job.model, job.prompt), _Traffic())


def _drop_oldest(entries: OrderedDict[Any, Any], limit: int) -> None:
    while len(entries) > limit:
        entries.popitem(last=False)
