"""Operators' actions on tasks: show, cancel, refund."""

from dataclasses import dataclass, replace
from typing import Any

from tollgate.audit.events import Action
from tollgate.kit.clock import iso
from tollgate.kit.ids import is_id
from tollgate.ledger.callers import Caller
from tollgate.ledger.crediting import AccountClosedError, AlreadyPostedError
from tollgate.ledger.entries import refund_of
from tollgate.operator.console import CustomerConsole
from tollgate.operator.errors import OperatorError, checked_reason, closed
from tollgate.operator.routes import with_routes
from tollgate.tasks.models import Attempt, Task, TaskView
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import StaleTaskError
from tollgate.tasks.service import TaskService
from tollgate.webhooks.service import WebhookService


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskConsole(CustomerConsole):
    """Shows tasks to operators, without their input, and carries out their actions."""

    reader: TaskReader
    service: TaskService
    webhooks: WebhookService

    def get(self, task_id: str) -> Task:
        """Return a task. Raises `OperatorError` if it does not exist."""
        # A workflow is in the same table, with another prefix.
        task = self.tasks.get(task_id) if is_id("task", task_id) else None
        if task is None:
            raise OperatorError("There is no task {task}.", task=task_id)
        return task

    def shown(self, task: Task) -> dict[str, Any]:
        """Return a task with its attempts, ledger entries and webhook deliveries."""
        of_task = {"taskId": task.task_id}
        entries = self.statement.page(task.account_id, of_task)["entries"]
        return {
            **self.reader.view(task),
            "accountId": task.account_id,
            "correlationId": task.correlation_id,
            "chargeMicroUsd": task.charge_micro_usd,
            "deadlineAt": iso(task.deadline_at_ms),
            "nextLookAt": _iso(task.wake_at_ms),
            "attempts": [attempt_row(attempt) for attempt in task.attempts],
            "ledger": with_routes(self.ledger, self.tasks, task.account_id, entries),
            "deliveries": self.webhooks.page(task.account_id, of_task)["deliveries"],
        }

    def cancel(self, task_id: str) -> TaskView:
        """Request the end of a task; return the task. An ended task does not change.

        Raises `OperatorError` if it does not exist.
        """
        task = self.get(task_id)
        if not task.ended:
            # Recorded first, because this is only a request. The task's worker decides about it.
            self.audit.write(task.account_id, self.who, Action.TASK_CANCELLED, task_id)
        return self.service.cancel(Caller.of_account(task.account_id), task_id)

    def refund(self, task_id: str, reason: str) -> bool:
        """Refund the whole charge of an ended task; return `False` if it was refunded before.

        A task has only one refund, so an automatic refund is never repeated. Raises `OperatorError` for a
        task that has not ended, was free, or was changed by another process.
        """
        task, why = self.get(task_id), checked_reason(reason)
        # A running task may still be refunded at its end. The two would compete for its only refund.
        if not task.ended:
            raise OperatorError(
                "{task} has not ended. Cancel it; it is refunded if it has no result.", task=task_id
            )
        if task.charge_micro_usd == 0:
            raise OperatorError("{task} cost nothing.", task=task_id)
        # Saves a write. The ledger would refuse a second refund of the task by its id.
        if task.refunded_micro_usd:
            return False
        entry = replace(refund_of(task.charge(), self.clock.now_ms()), reason=why)
        refunded = replace(task, seq=task.seq + 1, refunded_micro_usd=task.charge_micro_usd)
        try:
            noted = self.audit.note(task.account_id, self.who, Action.TASK_REFUNDED, task_id, why)
            self.tasks.amend(refunded, [*self.ledger.refund_ended(entry), noted])
        except AlreadyPostedError:
            return False
        except AccountClosedError as exc:
            raise closed(task.account_id) from exc
        except StaleTaskError as exc:
            raise OperatorError(
                "Nothing was done: {task} changed in the meantime. Look at it again.", task=task_id
            ) from exc
        return True


def attempt_row(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt without the token of its callback. `job` contains the provider's ids. Pure."""
    return {
        "provider": attempt.provider,
        "startedAt": iso(attempt.started_at_ms),
        "endedAt": _iso(attempt.ended_at_ms),
        "failure": attempt.failure,
        "detail": attempt.detail,
        "polls": attempt.polls,
        "badCopies": attempt.bad_copies,
        "job": attempt.handle,
    }


def _iso(epoch_ms: int | None) -> str | None:
    return None if epoch_ms is None else iso(epoch_ms)
