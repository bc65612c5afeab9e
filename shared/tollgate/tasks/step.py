"""One step of one task: read, decide, ask the provider, write. All decisions are in `lifecycle.py`.

A crash between any two of these lines loses nothing: before the claim nothing happened, after it the
sweeper finds the task by its `wake_at`, and every write is refused if the task has moved meanwhile.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.results import Results
from tollgate.artifacts.store import MAX_FILES, ArtifactStore, CopyError
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Route
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.due_index import Due, DueIndex, StaleDueRowError
from tollgate.kit.dynamodb.writes import TransactWrite
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.observability import add_to_log
from tollgate.ledger.repository import ConcurrencyLimitReachedError, LedgerRepository
from tollgate.providers.runtime.base import Cancels, Job, MediaProvider, TakesKeys
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Pending,
    PollOutcome,
    Rejected,
    SubmitOutcome,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.routing import routes_for
from tollgate.tasks.callbacks import callback_url
from tollgate.tasks.finalizer import TaskFinalizer
from tollgate.tasks.followups import with_references
from tollgate.tasks.lifecycle import (
    STEP_GRACE_MS,
    Continue,
    Copy,
    End,
    Poll,
    Submit,
    after_bad_copy,
    after_copy,
    after_poll,
    after_submit,
    cancelled,
    decide,
    is_silent,
    without_files,
)
from tollgate.tasks.models import Attempt, Task, TaskStatus
from tollgate.tasks.progress_webhooks import with_progress_event
from tollgate.tasks.repository import StaleTaskError, TaskRepository
from tollgate.tasks.sources import SourceKeeper

TOKEN_BYTES = 16
# How often a running copy sends a heartbeat.
HEARTBEAT_MS = STEP_GRACE_MS // 3
CANCEL_RETRY_S = 3
# With the wait above, longer than a submit may be under way.
MAX_CANCEL_ATTEMPTS = 60


class StepResult(StrEnum):
    """The result of a message."""

    STALE = "stale"  # The task is gone, ended, or moved by another step: nothing was done.
    WAITING = "waiting"  # The account has as many tasks running as it may; the end of one wakes this one.
    REQUEUED = "requeued"  # It is no quick step: a message in the task queue has it done.
    CONTINUED = "continued"  # The task continues; its next message is sent.
    ENDED = "ended"  # The task is in a terminal state now.
    FILES_EXPIRED = "files_expired"  # The files of an ended task were deleted at the time that was chosen.


@dataclass(frozen=True, slots=True)
class StepReport:
    """The result of a step, and the task as it is now (`None` if there is none)."""

    result: StepResult
    task: Task | None


# The providers that have credentials, by name.
Adapters = Mapping[str, MediaProvider]


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Moves tasks."""

    tasks: TaskRepository
    timers: DueIndex
    ledger: LedgerRepository
    finalizer: TaskFinalizer
    providers: Callable[[], Adapters]
    health: ProviderHealthStore
    catalog: Catalog
    artifacts: ArtifactStore
    results: Results
    inputs: InputStore
    sources: SourceKeeper
    queue: Queue
    polls: Queue
    webhooks: Queue
    clock: Clock
    callback_base_url: str | None = None
    kept_ms: int | None = None

    def run(self, task_id: str, seq: int, *, was_woken: bool = False) -> StepReport:
        """Take the step with this `seq`; a stale or duplicate message does nothing.

        A task that `was_woken` because a slot became free wakes the next one.
        """
        return self._run(task_id, seq, partial(self._any_step, was_woken=was_woken))

    def poll(self, task_id: str, seq: int) -> StepReport:
        """Take the step if it is quick: a poll, with the copy of small files, or an end. The task queue takes
        a submit or a larger copy, because each of its messages has a worker.
        """
        return self._run(task_id, seq, self._quick_step)

    def _run(self, task_id: str, seq: int, take_step: Callable[[Task], StepReport]) -> StepReport:
        task = self._read(task_id)
        if task is None or task.seq != seq:
            return StepReport(StepResult.STALE, task)
        try:
            return self._expire_files(task) if task.ended else take_step(task)
        # Another message of this task was faster: its write counts, and this step leaves no trace.
        except (StaleTaskError, StaleDueRowError):
            return StepReport(StepResult.STALE, task)
        except ConcurrencyLimitReachedError:
            return StepReport(StepResult.WAITING, task)

    def cancel(self, task_id: str, attempts: int = 0) -> StepReport:
        """End a task whose customer cancelled it, if no result will follow: it was not submitted, or
        the provider confirms. While a submit is running, it is tried again a little later.
        """
        task = self._read(task_id)
        if task is None or task.ended:
            return StepReport(StepResult.STALE, task)
        attempt = task.attempt
        # Claimed, and not answered yet: it is unknown whether the provider has the job.
        if attempt is not None and attempt.handle is None:
            return self._cancel_later(task, attempts)
        # The provider continues and is paid, so the task continues too, to its result or its refund.
        if attempt is not None and not self._provider_cancels(attempt):
            return StepReport(StepResult.CONTINUED, task)
        try:
            end = cancelled(task, self.clock.now_ms())
            return StepReport(StepResult.ENDED, self.finalizer.end(end, was_running=_is_running(task)))
        except StaleTaskError:
            return self._cancel_later(task, attempts)

    def _expire_files(self, task: Task) -> StepReport:
        """Delete the files of an ended task, if it has come to the time that its customer chose."""
        now_ms = self.clock.now_ms()
        if task.wake_at_ms is None or task.expires_at_ms is None or now_ms < task.expires_at_ms:
            return StepReport(StepResult.STALE, task)
        # The bytes first, as in `deletion.py`: a crash in between leaves a row that is due again.
        self.results.delete(task.task_id)
        without = without_files(task, now_ms)
        self.tasks.amend(without)
        return StepReport(StepResult.FILES_EXPIRED, without)

    def _read(self, task_id: str) -> Task | None:
        task = self.tasks.get(task_id)
        add_to_log(correlation_id=task and task.correlation_id)
        return task

    def _quick_step(self, task: Task) -> StepReport:
        providers = [route.provider for route in self._routes_to_start(task)]
        adapters = self.providers()
        now_ms, repeats = self.clock.now_ms(), _may_repeat(task, adapters)
        decision: Submit | Poll | Copy | Continue | End = decide(
            task, providers, now_ms, is_idempotent=repeats
        )
        if isinstance(decision, Poll):
            polled = self._poll(task, decision.attempt, adapters)
            decision = after_poll(task, polled, self._failover_providers(task, polled), self.clock.now_ms())
        if isinstance(decision, Copy):
            decision = self._copied_quickly(task, decision)
        if isinstance(decision, Continue | End):
            return self._write(task, decision)
        # The same `seq`: the worker polls the provider once more, and uses only that answer.
        self.queue.send({"task_id": task.task_id, "seq": task.seq})
        return StepReport(StepResult.REQUEUED, task)

    def _routes_to_start(self, task: Task) -> Sequence[Route]:
        """Return the routes for a submit; none if a job is running, because it is only polled."""
        is_asked = task.attempt is not None and task.attempt.handle is not None
        return () if is_asked else self._routes(task)

    def _failover_providers(self, task: Task, polled: PollOutcome) -> list[str]:
        """Return the providers for a failover; they are needed only once the job has ended."""
        is_over = not isinstance(polled, Pending | Unknown)
        return [route.provider for route in self._routes(task)] if is_over else []

    def _any_step(self, task: Task, *, was_woken: bool) -> StepReport:
        routes = self._routes_to_start(task)
        providers = [route.provider for route in routes]
        # Before any claim: unreadable credentials must not cost the task an attempt.
        adapters = self.providers()
        if task.attempt is None:
            providers = self._best_first(providers, task.model)
        repeats = _may_repeat(task, adapters)
        decision = decide(task, providers, self.clock.now_ms(), is_idempotent=repeats)
        if isinstance(decision, Submit):
            claimed = self._claim(task, _with_token(decision.task))
            # After the claim, so that the next task sees this slot as taken.
            if was_woken:
                self.finalizer.start_next(task.row_id)
            task = claimed
            submitted = self._submit(task, decision.attempt, routes, adapters)
            outcome = after_submit(task, submitted, providers, self.clock.now_ms())
            decision = self._copied(task, outcome, providers)
        elif isinstance(decision, Poll):
            polled = self._poll(task, decision.attempt, adapters)
            providers = self._failover_providers(task, polled)
            outcome = after_poll(task, polled, providers, self.clock.now_ms())
            decision = self._copied(task, outcome, providers)
        return self._write(task, decision, was_woken=was_woken)

    def _write(self, task: Task, decision: Continue | End, *, was_woken: bool = False) -> StepReport:
        if isinstance(decision, End):
            ended = self.finalizer.end(decision, was_running=_is_running(task), was_woken=was_woken)
            return StepReport(StepResult.ENDED, ended)
        # Saved first, sent after: a message whose `seq` is not stored yet would be dropped as stale, and the
        # sweeper sends a message that is lost in a crash here.
        moved = self._save(decision.task)
        message = {"task_id": moved.task_id, "seq": moved.seq}
        if moved.attempt is not None and moved.attempt.handle is not None:
            self.polls.send({**message, "poll": True}, decision.delay_s)
        else:
            self.queue.send(message, decision.delay_s)
        return StepReport(StepResult.CONTINUED, moved)

    def _claim(self, task: Task, claimed: Task) -> Task:
        """Write the attempt before the call, so that the call is never made twice. Return the task.

        The first attempt takes one of the account's running slots. Raises `ConcurrencyLimitReachedError`.
        """
        if task.status is not TaskStatus.NOT_STARTED:
            return self._save(claimed)
        slots = self.ledger.slots(task.row_id)
        if slots.free <= 0:
            raise ConcurrencyLimitReachedError  # cheaper than a write that is refused
        return self._save(claimed, self.ledger.acquire_slot(task.row_id, slots.most))

    def _save(self, task: Task, *others: TransactWrite) -> Task:
        """Write a step's outcome with the others and the event that is due; return the task."""
        task, event = with_progress_event(task, self.clock.now_ms())
        events = [] if event is None else [self.finalizer.deliveries.enqueue(event)]
        self.tasks.save(task, [*others, *events])
        if event is not None:
            # If a crash prevents this, the sweeper sends the message.
            self.webhooks.send({"delivery_id": event.delivery_id, "seq": event.seq})
        return task

    def _best_first(self, providers: Sequence[str], model: str) -> list[str]:
        """Return the providers, best first; a provider that recovers after failures gets one task to try."""
        ordered = self.health.in_order(providers, model)
        # Last and not left out: if all others are busy it is asked after all.
        if len(ordered) > 1 and not self.health.may_try(ordered[0]):
            return [*ordered[1:], ordered[0]]
        return ordered

    def _submit(
        self, task: Task, attempt: Attempt, routes: Sequence[Route], adapters: Adapters
    ) -> SubmitOutcome:
        provider = adapters.get(attempt.provider)
        if provider is None:
            return Failed(FailureKind.NOT_CONFIGURED, f"{attempt.provider} has no credentials")
        route = next(route for route in routes if route.provider == attempt.provider)
        url = callback_url(self.callback_base_url, task)
        # Signed only now: an address that waited in the queue with its task could have expired.
        values = self.sources.keep(task, with_references(task), self._heartbeat(task))
        if isinstance(values, Rejected):
            return values
        values = self.inputs.signed(values)
        # By the attempt's number: a repeat of the same attempt is the same job, another attempt is a new
        # job.
        key = f"{task.task_id}-{len(task.attempts)}"
        job = Job(task.task_id, route.mapping, route.upstream, values, url, key)
        outcome = provider.submit(job)
        self.health.report(attempt.provider, outcome)
        return outcome

    def _poll(self, task: Task, attempt: Attempt, adapters: Adapters) -> PollOutcome:
        provider = adapters.get(attempt.provider)
        if provider is None or attempt.handle is None:
            # A removed provider cannot be polled: try the next one or refund, but never leave the task open.
            return Failed(FailureKind.NOT_CONFIGURED, f"{attempt.provider} has no credentials")
        outcome = provider.poll(attempt.handle)
        if isinstance(outcome, Unknown) and is_silent(task, self.clock.now_ms()) and self._others(task):
            outcome = Failed(FailureKind.LOST_ANSWER, f"nothing readable for too long: {outcome.detail}")
        self.health.report(attempt.provider, outcome)
        if isinstance(outcome, Unknown) and self.health.is_disabled(attempt.provider, task.model):
            return Failed(FailureKind.NOT_CONFIGURED, f"{attempt.provider} is off: {outcome.detail}")
        return outcome

    def _copied(
        self, task: Task, decision: Continue | Copy | End, providers: Sequence[str]
    ) -> Continue | End:
        """Copy every file, or return why not; a task is never finished before its files are stored."""
        if not isinstance(decision, Copy):
            return decision
        try:
            return self._copy(task, decision.result)
        except CopyError as exc:
            # A result that came with the answer cannot be requested again.
            retryable = exc.retryable and task.attempts[-1].handle is not None
            return after_bad_copy(task, exc.detail, retryable, providers, self.clock.now_ms())

    def _copied_quickly(self, task: Task, decision: Copy) -> Copy | End:
        """Copy small files that are read quickly; for other files, a worker that handles only this task
        decides.
        """
        try:
            return self._copy(task, decision.result, is_quick=True)
        except CopyError:
            return decision

    def _copy(self, task: Task, result: Succeeded, *, is_quick: bool = False) -> End:
        """Copy the files of a result, and return the end with them. Raises `CopyError`."""
        heartbeat = self._heartbeat(task)
        files = self.artifacts.copy(
            result.files[:MAX_FILES], task.task_id, heartbeat, is_quick=is_quick, is_private=task.private
        )
        return after_copy(task, result, files, self.clock.now_ms(), self.kept_ms)

    def _heartbeat(self, task: Task) -> Callable[[], None]:
        """Return the function that a long copy calls, so that the sweeper does not start another copy."""
        last_ms = self.clock.now_ms()

        def heartbeat() -> None:
            nonlocal last_ms
            now_ms = self.clock.now_ms()
            if now_ms - last_ms >= HEARTBEAT_MS:
                last_ms = now_ms
                self.timers.postpone(Due(task.task_id, task.seq), now_ms + STEP_GRACE_MS)

        return heartbeat

    def _routes(self, task: Task) -> Sequence[Route]:
        """Return the live routes that take this input, best first; none if the model left the catalog.

        A follow-up stays with the provider that has the earlier result.
        """
        try:
            routes = routes_for(self.catalog.media_model(task.model), task.values)
        except ModelNotFoundError:
            return ()
        routes = [route for route in routes if task.origin is None or route.provider == task.origin.provider]
        if task.routing is None:
            return routes
        permitted = [route for route in routes if route.provider in task.routing]
        return sorted(permitted, key=lambda route: (task.routing or ()).index(route.provider))

    def _others(self, task: Task) -> bool:
        """Return whether there is a route to a provider that was not asked yet."""
        asked = {attempt.provider for attempt in task.attempts}
        return any(route.provider not in asked for route in self._routes(task))

    def _provider_cancels(self, attempt: Attempt) -> bool:
        provider: object = self.providers().get(attempt.provider)
        return isinstance(provider, Cancels) and provider.cancel(attempt.handle or {})

    def _cancel_later(self, task: Task, attempts: int) -> StepReport:
        if attempts < MAX_CANCEL_ATTEMPTS:
            self.queue.send({"task_id": task.task_id, "cancel": attempts + 1}, CANCEL_RETRY_S)
        return StepReport(StepResult.CONTINUED, task)


def _may_repeat(task: Task, adapters: Adapters) -> bool:
    """Return whether a submit of the open attempt without an answer can be repeated without a second job."""
    if task.attempt is None or task.attempt.handle is not None:
        return False
    provider: object = adapters.get(task.attempt.provider)
    return isinstance(provider, TakesKeys) and provider.is_idempotent


def _with_token(task: Task) -> Task:
    # A repeated submit must be identical under the same key.
    if task.attempts[-1].callback_token is not None:
        return task
    attempt = replace(task.attempts[-1], callback_token=secrets.token_urlsafe(TOKEN_BYTES))
    return replace(task, attempts=(*task.attempts[:-1], attempt))


def _is_running(task: Task) -> bool:
    return task.status is TaskStatus.RUNNING
