"""Tasks, for operators: what became of one, its end, its money back."""

from dataclasses import dataclass, replace
from typing import Any

from tollgate.audit.events import Action
from tollgate.kit.clock import iso
from tollgate.ledger.entries import refund_of
from tollgate.ledger.repository import AccountClosedError, AlreadyPostedError
from tollgate.operator.console import CustomerConsole
from tollgate.operator.errors import OperatorError, checked_reason
from tollgate.operator.routes import with_routes
from tollgate.tasks.models import Attempt, Task, TaskView
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import StaleTaskError
from tollgate.tasks.service import TaskService
from tollgate.webhooks.service import WebhookService


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskConsole(CustomerConsole):
    """What operators see of tasks, never their input, and do to them."""

    reader: TaskReader
    service: TaskService
    webhooks: WebhookService

    def get(self, task_id: str) -> Task:
        """Return a task. Raises `OperatorError` for one that is not there."""
        task = self.tasks.get(task_id)
        if task is None:
            raise OperatorError(f"There is no task {task_id}.")
        return task

    def shown(self, task: Task) -> dict[str, Any]:
        """Return a task: its status, who was asked and how that went, its money, its webhook."""
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
        """Ask for the end of a task; return its status. One that has ended stays as it is.

        Raises `OperatorError` for one that is not there.
        """
        task = self.get(task_id)
        if not task.ended:
            # Noted first, as it is only asked for: what becomes of it, its worker decides.
            self.audit.write(task.account_id, self.who, Action.TASK_CANCELLED, task_id)
        return self.service.cancel(task.account_id, task_id)

    def refund(self, task_id: str, reason: str) -> bool:
        """Return the whole charge of a task that has ended, once; return whether this time did it.

        The entry is the task's one refund, so what failed and was refunded is never refunded again. Raises
        `OperatorError` for a task that has not ended (cancel it), cost nothing, or moved meanwhile.
        """
        task, why = self.get(task_id), checked_reason(reason)
        # While it runs, its end would refund it as well: the two would race for the one refund.
        if not task.ended:
            raise OperatorError(
                f"{task_id} has not ended: cancel it, and it is refunded where nothing is made."
            )
        if task.charge_micro_usd == 0:
            raise OperatorError(f"{task_id} cost nothing.")
        # Only spares the write: the ledger refuses a second refund of a task by its id.
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
            raise OperatorError(f"Nothing was done: {task.account_id} is closed.") from exc
        except StaleTaskError as exc:
            raise OperatorError(f"{task_id} moved meanwhile; nothing was done. Look at it again.") from exc
        return True


def attempt_row(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt without the token of its callback. `job` is how the provider knows it. Pure."""
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
