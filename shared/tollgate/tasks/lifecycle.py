"""The next state of a task. Pure: no clock, no network, no database; every path is a value.

    not_started ──submit──► running ──poll…──► finished
         │                     │ failed attempt: the next provider, same charge
         │                     │ busy providers: wait, and ask again
         │                     ├── none left, rejected, or cancelled ──► failed (refund)
         └──── deadline ───────┴──────────────────────────► expired  (refund)

A step is: `decide` → (claim →) ask the provider → `after_submit` / `after_poll` / `after_copy` → write.
Each function returns the task as it should be written, with `seq` one higher.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tollgate.artifacts.models import StoredFile
from tollgate.kit.clock import MS_PER_S
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    PollOutcome,
    Rejected,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.tasks.models import Attempt, Task, TaskError, TaskErrorCode, TaskStatus

# Longer than any submit may take: an attempt without a handle after this time has lost its answer.
SUBMIT_LEASE_MS = 150 * MS_PER_S
# How often one attempt is submitted if its provider accepts a key: a worker may crash once.
MAX_SUBMITS = 2
# How late the next step may be before the sweeper considers the chain broken.
STEP_GRACE_MS = 60 * MS_PER_S
MIN_POLL_S = 1
MAX_POLL_S = 15
# Polls come after a tenth of the time that a job has run, within the bounds above.
POLL_SHARE = 10
# After this share of the model's time without a readable answer about a job, the next provider gets the job,
# if there is one. Then Tollgate may pay twice, but otherwise it would refund a job that it also pays for.
SILENT_SHARE = 3
MAX_BAD_COPIES = 3
COPY_RETRY_S = 2
# Few jobs finish sooner, and each poll is a write.
FIRST_POLL_S = 2
FIRST_BUSY_WAIT_S = 5
# When all remaining providers are busy, each round waits twice as long as the previous one.
MAX_BUSY_WAIT_S = 60
# About ten minutes in total with the waits above; after that a refund is better than a late image.
MAX_BUSY_ROUNDS = 12
ENDS_OF_SENTENCES = (".", "!", "?", "…", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class Submit:
    """Write `task` (it has the new attempt), then submit the job to the attempt's provider."""

    task: Task
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Poll:
    """Ask the attempt's provider for the job's state."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Copy:
    """The provider is done: copy its files to our storage."""

    result: Succeeded


@dataclass(frozen=True, slots=True)
class Continue:
    """Write `task`, and take the next step `delay_s` seconds from now."""

    task: Task
    delay_s: int


@dataclass(frozen=True, slots=True)
class End:
    """Write `task`, which is terminal now; refund it unless it is finished."""

    task: Task

    @property
    def refund(self) -> bool:
        """Return whether the charge is refunded."""
        return self.task.status is not TaskStatus.FINISHED


def decide(
    task: Task, providers: Sequence[str], now_ms: int, *, is_idempotent: bool = False
) -> Submit | Poll | Continue | End:
    """Return the next action for a task that has not ended; `providers` are its live routes, best first.

    `is_idempotent` is true if the open attempt's provider does a job only once for repeats under its key.
    """
    # The deadline first: after it the customer gets the money back, even if a job is running.
    if now_ms >= task.deadline_at_ms:
        return _end_without_result(
            task,
            TaskStatus.EXPIRED,
            TaskError(
                TaskErrorCode.DEADLINE_PASSED, "There was no result in time. You were refunded in full."
            ),
            now_ms,
        )
    attempt = task.attempt
    if attempt is None:
        return _next_provider(task, providers, now_ms)
    if attempt.handle is None:
        if is_idempotent and attempt.provider in providers and attempt.submits < MAX_SUBMITS:
            return _submit_again(task, now_ms)
        # The step that submitted never stored the answer. Submitting again could create, and cost us, a
        # second job, so ask the next provider
        # (docs/architecture.md#rules-for-every-provider).
        return _lost(task, "the submit step did not end", providers, now_ms)
    return Poll(attempt)


def after_submit(
    task: Task, outcome: SubmitOutcome, providers: Sequence[str], now_ms: int
) -> Continue | Copy | End:
    """Return the consequence of a submit's outcome for the task; `task` has the open attempt."""
    match outcome:
        case Submitted(handle):
            return _continue(_with_attempt(task, handle=handle), FIRST_POLL_S, now_ms)
        case Lost(detail):
            return _lost(task, detail, providers, now_ms)
        case _:
            return _after_verdict(task, outcome, providers, now_ms)


def after_poll(
    task: Task, outcome: PollOutcome, providers: Sequence[str], now_ms: int
) -> Continue | Copy | End:
    """Return the consequence of a poll's outcome for the task."""
    match outcome:
        case Pending(progress):
            answered = _with_attempt(_polled(task), silent_since_ms=None)
            moved = answered if progress is None else replace(answered, progress=progress)
            return _continue(moved, poll_delay_s(moved, now_ms), now_ms)
        case Unknown(detail):
            # Unknown is not failed: the job may well be running (docs/architecture.md#tasks). The
            # deadline bounds it.
            since_ms = task.attempts[-1].silent_since_ms or now_ms
            moved = _with_attempt(_polled(task), detail=detail, silent_since_ms=since_ms)
            return _continue(moved, poll_delay_s(moved, now_ms), now_ms)
        case _:
            return _after_verdict(task, outcome, providers, now_ms)


def _after_verdict(
    task: Task, verdict: Succeeded | Rejected | Failed, providers: Sequence[str], now_ms: int
) -> Continue | Copy | End:
    match verdict:
        case Succeeded():
            return _succeeded(task, verdict, providers, now_ms)
        # No other provider: it would refuse the input too, or bypass a refusal.
        case Rejected():
            return _rejected(task, verdict, now_ms)
        case Failed():
            return _attempt_failed(task, verdict, providers, now_ms)


def is_silent(task: Task, now_ms: int) -> bool:
    """Return whether the open attempt's provider gave no readable answer about its job for too long."""
    since_ms = task.attempts[-1].silent_since_ms
    if since_ms is None:
        return False
    return (now_ms - since_ms) * SILENT_SHARE >= task.deadline_at_ms - task.created_at_ms


def after_copy(
    task: Task, result: Succeeded, files: Sequence[StoredFile], now_ms: int, kept_ms: int | None = None
) -> End:
    """Return the finished task: its files are in our storage, or it has an output.

    `kept_ms` is how long all files are kept; `None` keeps them until they are deleted. The customer may have
    chosen a shorter time: then a step at that time deletes them.
    """
    own_ms = None if task.expires_in_s is None else task.expires_in_s * MS_PER_S
    times_ms = [each_ms for each_ms in (kept_ms, own_ms) if each_ms is not None]
    expires_at_ms = now_ms + min(times_ms) if times_ms and files else None
    told = {"reference": result.reference, "cost_micro_usd": result.cost_micro_usd}
    done = _with_attempt(task, ended_at_ms=now_ms, **told)
    return End(
        replace(
            done,
            seq=task.seq + 1,
            status=TaskStatus.FINISHED,
            wake_at_ms=None if own_ms is None else expires_at_ms,
            progress=100,
            files=tuple(files),
            output=None if result.output is None else dict(result.output),
            finished_at_ms=now_ms,
            expires_at_ms=expires_at_ms,
        )
    )


def without_files(task: Task, now_ms: int) -> Task:
    """Return an ended task after the deletion of its files, which also ends its public page."""
    return replace(
        task,
        seq=task.seq + 1,
        files=(),
        wake_at_ms=None,
        expires_at_ms=None,
        files_deleted_at_ms=now_ms,
        share=None,
    )


def after_bad_copy(
    task: Task, detail: str, retryable: bool, providers: Sequence[str], now_ms: int
) -> Continue | End:
    """Return the consequence of a failed copy: a few more attempts, then the next provider."""
    attempt = task.attempts[-1]
    bad_copies = attempt.bad_copies + 1
    if retryable and bad_copies < MAX_BAD_COPIES:
        return _continue(_with_attempt(task, bad_copies=bad_copies, detail=detail), COPY_RETRY_S, now_ms)
    return _attempt_failed(task, Failed(FailureKind.BAD_RESULT, detail), providers, now_ms)


def cancelled(task: Task, now_ms: int) -> End:
    """Return the task that its customer cancelled before anything was generated; refunded."""
    error = TaskError(TaskErrorCode.CANCELLED, "Cancelled on request. You were refunded in full.")
    return _end_without_result(task, TaskStatus.FAILED, error, now_ms)


def poll_delay_s(task: Task, now_ms: int) -> int:
    """Return the whole seconds until the next poll: a share of the running time, spread, and bounded.

    The queue's delays are whole seconds. The spread comes from the task's id and its poll count, so
    that tasks created together do not poll together.
    """
    attempt = task.attempts[-1]
    elapsed_s = (now_ms - attempt.started_at_ms) // MS_PER_S
    share = max(MIN_POLL_S, min(MAX_POLL_S, elapsed_s // POLL_SHARE))
    # From the id and not random, so that this stays pure: the same task gets the same delay.
    spread = zlib.crc32(f"{task.task_id}{attempt.polls}".encode()) % (share // 3 + 1)
    # Never past the deadline: the step there ends the task, with its refund. Rounded up, because a step just
    # before it would only poll again.
    until_deadline_s = max(MIN_POLL_S, -(-(task.deadline_at_ms - now_ms) // MS_PER_S))
    return min(share + spread, until_deadline_s)


def _next_provider(task: Task, providers: Sequence[str], now_ms: int) -> Submit | End:
    provider = _candidate(task, providers)
    if provider is None:
        return _exhausted(task, now_ms)
    # The attempt is stored before the provider is called: a crash in between leaves an attempt without a
    # handle, which is found when its lease has ended.
    attempt = Attempt(provider, started_at_ms=now_ms)
    claimed = replace(
        task,
        seq=task.seq + 1,
        status=TaskStatus.RUNNING,
        attempts=(*task.attempts, attempt),
        progress=None,
        wake_at_ms=now_ms + SUBMIT_LEASE_MS,
    )
    return Submit(claimed, attempt)


def _submit_again(task: Task, now_ms: int) -> Submit:
    """Return the open attempt, to be submitted again under its key: the first submit stored no handle."""
    claimed = _with_attempt(task, submits=task.attempts[-1].submits + 1)
    claimed = replace(claimed, seq=task.seq + 1, wake_at_ms=now_ms + SUBMIT_LEASE_MS)
    return Submit(claimed, claimed.attempts[-1])


def _candidate(task: Task, providers: Sequence[str]) -> str | None:
    """Return the next provider: one not asked yet, else the provider that was busy longest ago."""
    asked = [attempt.provider for attempt in task.attempts]
    # A busy provider did no work and may be asked again; a failed provider may not.
    failed = {one.provider for one in task.attempts if one.failure != FailureKind.LIMITED}
    open_to_us = [provider for provider in providers if provider not in failed]
    fresh = next((provider for provider in open_to_us if provider not in asked), None)
    if fresh is not None:
        return fresh
    again = [provider for provider in open_to_us if asked.count(provider) < MAX_BUSY_ROUNDS]
    return max(again, key=asked[::-1].index, default=None)


def _attempt_failed(task: Task, failure: Failed, providers: Sequence[str], now_ms: int) -> Continue | End:
    over = _with_attempt(task, ended_at_ms=now_ms, failure=str(failure.kind), detail=failure.detail)
    candidate = _candidate(over, providers)
    if candidate is None:
        return _exhausted(over, now_ms)
    return _continue(over, _busy_wait_s(over, candidate), now_ms)


def _busy_wait_s(task: Task, candidate: str) -> int:
    """Return the seconds to wait before `candidate` is asked: 0 unless it was busy the last time."""
    rounds = sum(attempt.provider == candidate for attempt in task.attempts)
    if rounds == 0:
        return 0
    wait_s = min(MAX_BUSY_WAIT_S, FIRST_BUSY_WAIT_S * 2 ** (rounds - 1))
    # Up to twice the wait, by the task's id, so that tasks with the same busy provider spread out.
    return int(wait_s + zlib.crc32(f"{task.task_id}{rounds}".encode()) % wait_s)


def _lost(task: Task, detail: str, providers: Sequence[str], now_ms: int) -> Continue | End:
    return _attempt_failed(task, Failed(FailureKind.LOST_ANSWER, detail), providers, now_ms)


def _succeeded(task: Task, result: Succeeded, providers: Sequence[str], now_ms: int) -> Continue | Copy | End:
    if result.files or result.output is not None:
        return Copy(result)
    # A success without a result is a failure: the customer does not pay, and the next provider is asked.
    nothing = Failed(FailureKind.BAD_RESULT, "the job succeeded with neither files nor output")
    return _attempt_failed(task, nothing, providers, now_ms)


def _exhausted(task: Task, now_ms: int) -> End:
    # The providers' own messages stay in the attempts: the customer sees this text.
    message = "Generation failed at every provider. You were refunded."
    error = TaskError(TaskErrorCode.PROVIDERS_EXHAUSTED, message)
    return _end_without_result(task, TaskStatus.FAILED, error, now_ms)


def _rejected(task: Task, rejected: Rejected, now_ms: int) -> End:
    told = _with_attempt(task, detail=rejected.message)
    reason = rejected.message.rstrip()
    if not reason.endswith(ENDS_OF_SENTENCES):
        reason += "."
    error = TaskError(TaskErrorCode(rejected.kind), f"{reason} Refunded in full.")
    return _end_without_result(told, TaskStatus.FAILED, error, now_ms)


def _end_without_result(task: Task, status: TaskStatus, error: TaskError, now_ms: int) -> End:
    attempts = tuple(
        replace(a, ended_at_ms=now_ms, failure=str(error.code)) if a.open else a for a in task.attempts
    )
    return End(
        replace(
            task,
            seq=task.seq + 1,
            status=status,
            wake_at_ms=None,
            attempts=attempts,
            error=error,
            # Always the whole charge of the create, no matter how prices have changed.
            refunded_micro_usd=task.charge_micro_usd,
            finished_at_ms=now_ms,
        )
    )


def _continue(task: Task, delay_s: int, now_ms: int) -> Continue:
    # The message arrives after `delay_s`; if it is lost, the sweeper sends it again after the grace period.
    wake_at_ms = now_ms + delay_s * MS_PER_S + STEP_GRACE_MS
    return Continue(replace(task, seq=task.seq + 1, wake_at_ms=wake_at_ms), delay_s)


def _polled(task: Task) -> Task:
    return _with_attempt(task, polls=task.attempts[-1].polls + 1)


def _with_attempt(task: Task, **changes: object) -> Task:
    """Return the task with its last attempt changed."""
    last = replace(task.attempts[-1], **changes)  # type: ignore[arg-type]
    return replace(task, attempts=(*task.attempts[:-1], last))
