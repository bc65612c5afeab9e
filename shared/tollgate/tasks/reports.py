"""The log lines and metrics of a step. Providers' own messages are left out, because they repeat prompts."""

from tollgate.kit.observability import emit, emit_provider_error, logger
from tollgate.providers.runtime.outcomes import FailureKind
from tollgate.tasks.models import Attempt, Task, TaskErrorCode, TaskStatus
from tollgate.tasks.step import StepReport, StepResult

# The ends that count against the service: a refusal or a cancellation is the customer's.
FAILED_ENDS = frozenset({TaskErrorCode.PROVIDERS_EXHAUSTED, TaskErrorCode.DEADLINE_PASSED})

# Failures that last until an operator acts: no key or no credit there, or a route that leads nowhere.
OPERATOR_FAILURES = frozenset({FailureKind.REFUSED_US, FailureKind.NOT_CONFIGURED})


def report(step: StepReport) -> None:
    """Log a step of `run_task`, and count an attempt or a task that ended with it."""
    task = step.task
    logger.info(f"run_task.{step.result}", status=task and task.status)
    if task is None or step.result not in (StepResult.CONTINUED, StepResult.ENDED):
        return
    if (attempt := failed_attempt(task)) is not None:
        _report_failure(attempt, task)
    if task.ended:
        _report_end(task)


def failed_attempt(task: Task) -> Attempt | None:
    """Return the attempt that failed in the step which led to `task`, if one did.

    A step that finds no provider left ends the task some time after its last attempt.
    """
    last = task.attempts[-1] if task.attempts else None
    if last is None or last.failure not in frozenset(FailureKind):
        return None
    return last if not task.ended or last.ended_at_ms == task.finished_at_ms else None


def _report_failure(attempt: Attempt, task: Task) -> None:
    is_ours = attempt.failure in OPERATOR_FAILURES
    log = logger.error if is_ours else logger.warning
    log("run_task.attempt_failed", provider=attempt.provider, failure=attempt.failure, model=task.model)
    emit_provider_error(attempt.provider, is_ours=is_ours)


def _report_cost(attempt: Attempt, task: Task) -> None:
    """Log the charge that a provider states, because the catalog's costs can be out of date."""
    if attempt.cost_micro_usd is None:
        return
    # Free models of Tollgate have no provider with a charge.
    is_loss = attempt.cost_micro_usd > task.charge_micro_usd - task.markup_micro_usd
    log = logger.error if is_loss else logger.info
    log(
        "run_task.cost_stated",
        provider=attempt.provider,
        model=task.model,
        cost_micro_usd=attempt.cost_micro_usd,
        charge_micro_usd=task.charge_micro_usd,
    )


def _report_end(task: Task) -> None:
    took_ms = (task.finished_at_ms or task.created_at_ms) - task.created_at_ms
    logger.info(
        "run_task.task_ended",
        account_id=task.account_id,
        model=task.model,
        status=task.status,
        code=task.error and task.error.code,
        took_ms=took_ms,
        refunded_micro_usd=task.refunded_micro_usd,
    )
    if task.attempts:
        _report_cost(task.attempts[-1], task)
    counts = {f"Tasks{task.status.capitalize()}": 1}
    if task.refunded_micro_usd:
        counts |= {"Refunds": 1, "RefundedMicroUsd": task.refunded_micro_usd}
    if task.error is not None and task.error.code in FAILED_ENDS:
        counts["TasksGivenUp"] = 1
    emit(counts, {"TimeToFinish": took_ms} if task.status is TaskStatus.FINISHED else None)
