"""One step of one task: read, decide, ask the provider, write. All decisions are in `lifecycle.py`.

A crash between any two of these lines loses nothing: before the claim nothing happened, after it the
sweeper finds the task by its `wake_at`, and every write is refused when the task has moved meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tollgate.artifacts.store import MAX_FILES, ArtifactStore, CopyError
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Route
from tollgate.kit.clock import Clock
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.queue import Queue
from tollgate.ledger.entries import refund_entry
from tollgate.ledger.repository import LedgerRepository
from tollgate.providers.base import Failed, FailureKind, Job, MediaProvider, SubmitOutcome
from tollgate.tasks.lifecycle import (
    Continue,
    Copy,
    End,
    Poll,
    Submit,
    after_bad_copy,
    after_copy,
    after_poll,
    after_submit,
    decide,
)
from tollgate.tasks.models import Attempt, Task
from tollgate.tasks.repository import TaskMovedError, TaskRepository
from tollgate.webhooks.models import Delivery, delivery_id_of
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.webhooks.schedule import LATE_MS


class StepResult(StrEnum):
    """What a message led to."""

    STALE = "stale"
    """The task is gone, ended, or moved by another step: nothing was done."""
    CONTINUED = "continued"
    """The task goes on; its next message is sent."""
    ENDED = "ended"
    """The task is in a terminal state now."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step did, and the task as it is now (`None` when there is none)."""

    result: StepResult
    task: Task | None


Adapters = Mapping[str, MediaProvider]
"""The providers that have credentials, by name."""


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Moves tasks."""

    tasks: TaskRepository
    ledger: LedgerRepository
    deliveries: DeliveryRepository
    providers: Callable[[], Adapters]
    catalog: Catalog
    artifacts: ArtifactStore
    queue: Queue
    clock: Clock

    def run(self, task_id: str, seq: int) -> Stepped:
        """Take the step that `seq` stands for; a stale or doubled message does nothing."""
        task = self.tasks.get(task_id)
        if task is None or task.ended or task.seq != seq:
            return Stepped(StepResult.STALE, task)
        try:
            return self._carry_out(task, self._routes(task))
        except TaskMovedError:
            return Stepped(StepResult.STALE, task)

    def _carry_out(self, task: Task, routes: Sequence[Route]) -> Stepped:
        providers = [route.provider for route in routes]
        # Before any claim: credentials that cannot be read must not cost the task an attempt.
        adapters = self.providers()
        decision = decide(task, providers, self.clock.now_ms())
        if isinstance(decision, Submit):
            task = decision.task
            # The attempt is written before the call: whatever happens next, it is never made twice.
            self.tasks.save(task)
            submitted = _submit(task, decision.attempt, routes, adapters)
            decision = after_submit(task, submitted, providers, self.clock.now_ms())
        elif isinstance(decision, Poll):
            decision = self._poll(task, decision.attempt, providers, adapters)
        if isinstance(decision, End):
            return self._end(decision)
        self.tasks.save(decision.task)
        self.queue.send({"task_id": task.task_id, "seq": decision.task.seq}, decision.delay_s)
        return Stepped(StepResult.CONTINUED, decision.task)

    def _poll(
        self, task: Task, attempt: Attempt, providers: Sequence[str], adapters: Adapters
    ) -> Continue | End:
        provider = adapters.get(attempt.provider)
        # A provider that was taken away cannot be asked: the next one, or the money back, never limbo.
        outcome = (
            Failed(FailureKind.NOT_CONFIGURED, f"{attempt.provider} has no credentials")
            if provider is None or attempt.handle is None
            else provider.poll(attempt.handle)
        )
        decision = after_poll(task, outcome, providers, self.clock.now_ms())
        return self._copy(task, decision, providers) if isinstance(decision, Copy) else decision

    def _copy(self, task: Task, copy: Copy, providers: Sequence[str]) -> Continue | End:
        """Copy every file, or say why not; a task is never finished before its files are stored."""
        sources = copy.result.files[:MAX_FILES]
        try:
            files = self.artifacts.copy([source.url for source in sources], task.task_id)
        except CopyError as exc:
            return after_bad_copy(task, exc.detail, exc.retryable, providers, self.clock.now_ms())
        return after_copy(task, copy.result, files, self.clock.now_ms())

    def _routes(self, task: Task) -> Sequence[Route]:
        """Give the live routes that take this input, best first; none when the model left the catalog."""
        try:
            return self.catalog.get(task.model).routes_for(task.values)
        except ModelNotFoundError:
            return ()

    def _end(self, end: End) -> Stepped:
        task = end.task
        now_ms = self.clock.now_ms()
        refund = (
            refund_entry(task.account_id, task.task_id, task.model, task.refunded_micro_usd, now_ms)
            if end.refund
            else None
        )
        others = self.ledger.close_task(task.account_id, refund)
        if task.webhook is not None:
            delivery = Delivery(
                delivery_id_of(task.task_id),
                task.account_id,
                task.task_id,
                task.webhook,
                now_ms,
                wake_at_ms=now_ms + LATE_MS,
            )
            others.append(self.deliveries.enqueue(delivery))
        self.tasks.end(task, others)
        return Stepped(StepResult.ENDED, task)


def _submit(task: Task, attempt: Attempt, routes: Sequence[Route], adapters: Adapters) -> SubmitOutcome:
    provider = adapters.get(attempt.provider)
    if provider is None:
        return Failed(FailureKind.NOT_CONFIGURED, f"{attempt.provider} has no credentials")
    route = next(route for route in routes if route.provider == attempt.provider)
    return provider.submit(Job(task.task_id, route.mapping, route.upstream, task.values))
