"""The next move of a workflow: steps that have ended, that will not run, that may start. Pure.

Source: docs/decisions/0103-workflows.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tollgate.kit.clock import MS_PER_S
from tollgate.tasks.models import Task, TaskStatus
from tollgate.workflows.models import (
    Step,
    StepError,
    StepKind,
    StepStatus,
    Workflow,
    WorkflowStatus,
)

# The interval of the timer, for messages about ended steps that are lost.
LOOK_MS = 5 * 60 * MS_PER_S
# Longer than the function can live (15 minutes), so the worker of a chat has stopped.
CLAIM_MS = 16 * 60 * MS_PER_S
# The time that a workflow may take beyond the sum of its steps, for messages that are late.
GRACE_MS = 30 * 60 * MS_PER_S

CANCELLED = StepError("cancelled", "The workflow was cancelled before this step ran.")
LATE = StepError("deadline_passed", "The time of the workflow was over before this step ran.")


def deadline_ms(steps: Sequence[Step], now_ms: int) -> int:
    """Return the time after which no step of a new workflow starts."""
    return now_ms + GRACE_MS + sum(step.time_s for step in steps) * MS_PER_S


def moved(workflow: Workflow, now_ms: int) -> Workflow:
    """Return the next version of a workflow, which the sweeper looks at later."""
    return replace(workflow, seq=workflow.seq + 1, wake_at_ms=now_ms + LOOK_MS)


def observed(workflow: Workflow, tasks: Mapping[str, Task], now_ms: int) -> Workflow:
    """Return the workflow with the results of the ended `tasks`, by id, and without steps that cannot run."""
    steps = tuple(_with_task(step, tasks.get(step.task_id or "")) for step in workflow.steps)
    return without_needless(replace(workflow, steps=steps), now_ms)


def without_needless(workflow: Workflow, now_ms: int) -> Workflow:
    """Return the workflow without the steps that need a step without a result, or that start too late."""
    stop = CANCELLED if workflow.is_cancelled else LATE if now_ms >= workflow.deadline_at_ms else None
    # Each step needs only earlier steps, so one pass finds all consequences of a failure.
    for step in workflow.steps:
        if step.status is StepStatus.NOT_STARTED:
            lost = [name for name in step.needs if _has_no_result(workflow.step(name))]
            why = stop or (_lost(lost[0]) if lost else None)
            if why is not None:
                workflow = workflow.with_step(step.skipped(why, now_ms))
    return workflow


def without_deleted(workflow: Workflow, tasks: Sequence[Task]) -> Workflow:
    """Return the workflow without the files that their customer has deleted since."""
    for step in workflow.steps:
        if step.files and any(task.task_id == step.task_id and not task.files for task in tasks):
            workflow = workflow.with_step(replace(step, files=()))
    return workflow


def ready(workflow: Workflow, kind: StepKind, now_ms: int) -> list[Step]:
    """Return the steps of a kind that may start: all that they need is finished.

    A chat whose worker died starts again.
    """
    finished = {step.step_id for step in workflow.steps if step.status is StepStatus.FINISHED}
    return [
        step
        for step in workflow.steps
        if step.kind is kind
        and (
            (step.status is StepStatus.NOT_STARTED and finished.issuperset(step.needs))
            or is_forgotten(step, now_ms)
        )
    ]


def is_forgotten(step: Step, now_ms: int) -> bool:
    """Return whether the worker of a running chat has died."""
    is_chat = step.kind is StepKind.CHAT and step.status is StepStatus.RUNNING
    return is_chat and now_ms >= (step.claim_ends_at_ms or 0)


def claimed(step: Step, request_id: str, now_ms: int) -> Step:
    """Return a chat that a worker has taken."""
    return replace(
        step,
        status=StepStatus.RUNNING,
        request_id=request_id,
        attempts=step.attempts + 1,
        claim_ends_at_ms=now_ms + CLAIM_MS,
        started_at_ms=step.started_at_ms or now_ms,
    )


def started(step: Step, task: Task) -> Step:
    """Return a generation whose task was created."""
    return replace(
        step,
        status=StepStatus.RUNNING,
        task_id=task.task_id,
        cost_micro_usd=task.charge_micro_usd,
        started_at_ms=task.created_at_ms,
    )


def may_end(workflow: Workflow) -> bool:
    """Return whether all of its steps have ended."""
    return all(step.has_ended for step in workflow.steps)


def ended(workflow: Workflow, now_ms: int) -> Workflow:
    """Return the workflow at its end."""
    is_whole = all(step.status is StepStatus.FINISHED for step in workflow.steps)
    status = WorkflowStatus.FINISHED if is_whole else WorkflowStatus.FAILED
    return replace(workflow, status=status, finished_at_ms=now_ms, seq=workflow.seq + 1, wake_at_ms=None)


def _has_no_result(step: Step) -> bool:
    return step.status in (StepStatus.FAILED, StepStatus.SKIPPED)


def _lost(step_id: str) -> StepError:
    return StepError("needed_step_failed", f"It needs the step '{step_id}', which has no result.")


def _with_task(step: Step, task: Task | None) -> Step:
    """Return a running generation with the result of its task, if that has ended."""
    if task is None or not task.ended or step.status is not StepStatus.RUNNING:
        return step
    step = replace(step, refunded_micro_usd=task.refunded_micro_usd)
    now_ms = task.finished_at_ms or task.created_at_ms
    if task.status is TaskStatus.FINISHED:
        files = tuple(file.view() for file in task.files)
        return replace(step, status=StepStatus.FINISHED, files=files, ended_at_ms=now_ms)
    error = task.error
    return step.failed(StepError(error.code, error.message) if error else LATE, now_ms)
