"""Moves a workflow as far as it goes now.

    read ─► note ended tasks ─► start generations ─► answer chats ─┐
     ▲                                                             │
     └──────────────────────────────◄──────────────────────────────┘
    all have ended ─► return the rest of the money ─► end

The row is the truth: each write requires the version that was read, so several workers do no harm. A worker
that dies leaves a row that the sweeper looks at.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.batches.models import request_id_of
from tollgate.kit.clock import Clock
from tollgate.kit.observability import logger
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.models import Task
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.workflows import rules
from tollgate.workflows.events import pending_delivery
from tollgate.workflows.media_steps import MediaSteps
from tollgate.workflows.models import Step, StepKind, StepStatus, Workflow
from tollgate.workflows.repository import StaleWorkflowError, WorkflowRepository

# Writes of one message: each step starts and ends, and other workers write meanwhile.
MAX_MOVES = 100
# A worker begins chats for this time. With the longest chat it stays below the function's 15 minutes.
START_S = 4 * 60.0
# The pause before the next attempt to start a generation for which the account has no room now.
RETRY_S = 15
# Attempts to store results, or to return money; each but the first because another worker was faster.
MAX_STORES = 20

AnswerChats = Callable[[Workflow, Sequence[Step]], Sequence[Step]]
"""Answers claimed chats of a workflow, at once; returns the steps at their ends."""


class UnreturnedMoneyError(Exception):
    """The money of the workflow could not be returned yet. A later message returns it."""


@dataclass(frozen=True, slots=True)
class WorkflowWorker:
    """Moves workflows. `key` reads a key that can be used for media.

    `send` sends the next message, which arrives so many seconds later.
    """

    workflows: WorkflowRepository
    media: MediaSteps
    ledger: LedgerRepository
    deliveries: DeliveryRepository
    key: Callable[[str], ApiKey | None]
    tasks_of: Callable[[Sequence[str]], Sequence[Task]]
    answer: AnswerChats
    send: Callable[[Mapping[str, Any], int], None]
    clock: Clock

    def run(self, workflow_id: str) -> None:
        """Move a workflow. A repeated, late or forged message does nothing more."""
        start_by = time.monotonic() + START_S
        for _ in range(MAX_MOVES):
            workflow = self.workflows.get(workflow_id)
            if workflow is None or workflow.has_ended:
                logger.info("workflows.stale", workflow_id=workflow_id)
                return
            try:
                if not self._move(workflow, start_by):
                    return
            except StaleWorkflowError:
                continue

    def _move(self, workflow: Workflow, start_by: float) -> bool:
        """Write the next version of a workflow; return whether another one may follow now."""
        now_ms = self.clock.now_ms()
        ids = [step.task_id for step in workflow.running(StepKind.MEDIA) if step.task_id is not None]
        tasks = {task.task_id: task for task in (self.tasks_of(ids) if ids else ())}
        seen = rules.observed(workflow, tasks, now_ms)
        if seen != workflow:
            self.workflows.save(rules.moved(seen, now_ms))
            return True
        if rules.may_end(workflow):
            self._end(workflow, now_ms)
            return False
        media = rules.ready(workflow, StepKind.MEDIA, now_ms)
        chats = rules.ready(workflow, StepKind.CHAT, now_ms)
        workflow = self._with_present_files(workflow, [*media, *chats])
        for step in media:
            if self.media.start(workflow, step, self.key(workflow.key_id)):
                return True
        if chats and time.monotonic() < start_by:
            return self._answer(workflow, chats)
        if media or chats:
            self.send({"workflow_id": workflow.workflow_id}, RETRY_S if media else 0)
        return False

    def _with_present_files(self, workflow: Workflow, next_steps: Sequence[Step]) -> Workflow:
        """Return the workflow with only the files that exist, of those that some steps need."""
        needed = {name for step in next_steps for name in step.needs}
        with_files = [step for step in workflow.steps if step.step_id in needed and step.files]
        ids = [step.task_id for step in with_files if step.task_id is not None]
        return rules.without_deleted(workflow, self.tasks_of(ids)) if ids else workflow

    def _answer(self, workflow: Workflow, chats: Sequence[Step]) -> bool:
        """Take chats, answer them, and store their results."""
        now_ms = self.clock.now_ms()
        numbers = {step.step_id: number for number, step in enumerate(workflow.steps)}
        for step in chats:
            request_id = request_id_of(workflow.workflow_id, numbers[step.step_id], step.attempts + 1, 0)
            workflow = workflow.with_step(rules.claimed(step, request_id, now_ms))
        workflow = rules.moved(workflow, now_ms)
        self.workflows.save(workflow)
        results = self.answer(workflow, [workflow.step(step.step_id) for step in chats])
        for _ in range(MAX_STORES):
            found = self.workflows.get(workflow.workflow_id)
            if found is None or found.has_ended:
                return False
            now = found
            for result in results:
                known = found.step(result.step_id)
                # Another worker has taken the chat, because this one took too long.
                if known.attempts == result.attempts and known.status is StepStatus.RUNNING:
                    now = now.with_step(result)
            now_ms = self.clock.now_ms()
            try:
                self.workflows.save(rules.moved(rules.without_needless(now, now_ms), now_ms))
            except StaleWorkflowError:
                continue
            return True
        raise StaleWorkflowError(workflow.workflow_id)

    def _end(self, workflow: Workflow, now_ms: int) -> None:
        """Return the rest of the money, then end the workflow together with its webhook's delivery."""
        for _ in range(MAX_STORES):
            if self.ledger.release(workflow.reservation):
                break
        else:
            raise UnreturnedMoneyError(workflow.workflow_id)
        ended = rules.ended(workflow, now_ms)
        webhook = ended.webhook
        others = (
            [] if webhook is None else [self.deliveries.enqueue(pending_delivery(ended, webhook, now_ms))]
        )
        self.workflows.end(ended, others)
        logger.info("workflow.ended", workflow_id=ended.workflow_id, status=str(ended.status))
