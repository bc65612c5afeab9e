"""Starts the generation of a step: its task and its charge, from the money of the workflow."""

from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.errors import ConcurrencyLimitedError, TollgateError
from tollgate.kit.observability import logger
from tollgate.ledger.reservations import ReservationShortError
from tollgate.ledger.wallets import DEFAULT, wallet_number
from tollgate.tasks.errors import MediaTimeoutError
from tollgate.tasks.models import Task
from tollgate.tasks.priced import PricedTask
from tollgate.tasks.service import TaskService
from tollgate.workflows import rules
from tollgate.workflows.models import Step, StepError, Workflow
from tollgate.workflows.pricing import media_body
from tollgate.workflows.references import Reference, with_results
from tollgate.workflows.repository import WorkflowRepository

NO_KEY = StepError("invalid_api_key", "The API key of the workflow can no longer be used for this step.")
_OVER = StepError("deadline_passed", "The money of the workflow was returned before this step ran.")
_FIRST_FAULT = 500
# Reasons that pass: too many tasks or writes of the account, or a file that is read too slowly.
_PASSING = (ConcurrencyLimitedError, WriteConflictError, MediaTimeoutError)


class NoResultError(Exception):
    """A step has not the result that another one needs."""

    def __init__(self, reference: Reference) -> None:
        super().__init__(f"{reference} does not exist: the step made fewer files, or they were deleted.")


@dataclass(frozen=True, slots=True)
class MediaSteps:
    """Starts generations."""

    tasks: TaskService
    workflows: WorkflowRepository

    def start(self, workflow: Workflow, step: Step, key: ApiKey | None) -> bool:
        """Start a step, or write why it has failed; return whether anything was written.

        Nothing is written if the step cannot start now, but perhaps later. Raises `StaleWorkflowError`, and
        errors of this service.
        """
        try:
            if key is None:
                return self._failed(workflow, step, NO_KEY)
            priced = self._priced(workflow, step, key)
            task = self._task(workflow, step, priced, key)
            self._write(workflow, step, task)
        except NoResultError as exc:
            return self._failed(workflow, step, StepError("invalid_input", str(exc)))
        except ReservationShortError:
            return self._failed(workflow, step, _OVER)
        except _PASSING:
            logger.info("workflows.step_waits", workflow_id=workflow.workflow_id, step=step.step_id)
            return False
        except TollgateError as exc:
            if exc.status >= _FIRST_FAULT:
                raise
            return self._failed(workflow, step, StepError(exc.code, str(exc)))
        # Only after the charge, as for any generation.
        self.tasks.inputs.store(priced.files)
        logger.info("workflows.step_started", workflow_id=workflow.workflow_id, task_id=task.task_id)
        return True

    def _priced(self, workflow: Workflow, step: Step, key: ApiKey) -> PricedTask:
        values = with_results(step.input, lambda one: result_of(workflow, one))
        body = media_body(step.model, values, step.options)
        results = {file["fileUrl"] for one in workflow.steps for file in one.files}
        (priced,) = self.tasks.priced(workflow.account_id, {"": body}, key, results=results)
        return priced

    def _task(self, workflow: Workflow, step: Step, priced: PricedTask, key: ApiKey) -> Task:
        """Return the task of a step, at the price that was quoted or, if that is the most, at its own."""
        account_id, reservation = workflow.account_id, workflow.reservation
        charges = self.tasks.charges
        charges.budgets.load(account_id)
        spender = key.spender(reservation.labels)
        task = priced.task(account_id, self.tasks.clock.now_ms(), None, spender)
        charge = step.micro_usd if step.is_exact else min(step.micro_usd, task.charge_micro_usd)
        is_same = charge == task.charge_micro_usd
        return replace(
            task,
            charge_micro_usd=charge,
            price_version=task.price_version if is_same else step.price_version,
            price_parts=task.price_parts if is_same else (),
            counter=reservation.counter,
            wallet=wallet_number(reservation.row_id),
            budgets=reservation.budgets,
            routing=priced.choose(charges.budgets.routing(account_id)),
            workflow_id=workflow.workflow_id,
        )

    def _write(self, workflow: Workflow, step: Step, task: Task) -> None:
        limits = self.tasks.charges.limits.get(workflow.account_id) or DEFAULT
        paid = self.tasks.ledger.pay(workflow.reservation, task.charge(), limits)
        now = workflow.with_step(rules.started(step, task))
        changed = self.workflows.changed(rules.moved(now, task.created_at_ms))
        self.tasks.tasks.create([task], [changed, *paid])

    def _failed(self, workflow: Workflow, step: Step, error: StepError) -> bool:
        now_ms = self.tasks.clock.now_ms()
        now = rules.without_needless(workflow.with_step(step.failed(error, now_ms)), now_ms)
        self.workflows.save(rules.moved(now, now_ms))
        return True


def result_of(workflow: Workflow, reference: Reference) -> str:
    """Return the stored URL of a file, or the text of a chat. Raises `NoResultError`."""
    step = workflow.step(reference.step)
    if reference.index is None:
        return step.text or ""
    if reference.index >= len(step.files):
        raise NoResultError(reference)
    return step.files[reference.index]["fileUrl"]
