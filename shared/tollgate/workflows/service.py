"""Customers' requests about workflows: estimate, create, cancel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError, ForbiddenError, IdempotencyKeyReusedError
from tollgate.kit.ids import is_id, new_id
from tollgate.kit.money import cents_up
from tollgate.kit.observability import correlation_id, logger
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.callers import Caller
from tollgate.ledger.holds import Hold
from tollgate.ledger.reservations import QUOTE_PREFIX, Reservation
from tollgate.quotes.repository import QuoteRepository
from tollgate.quotes.views import QuoteStatus, SavedQuote
from tollgate.tasks.charges import MarkupChangedError, Purchase
from tollgate.tasks.errors import IdempotencyConflictError, MaxCostExceededError
from tollgate.tasks.idempotency import AlreadyCreatedError
from tollgate.tasks.models import WORKFLOW_PREFIX
from tollgate.tasks.request import check_idempotency_key, request_hash
from tollgate.tasks.service import TaskService
from tollgate.webhooks.receivers import check_host
from tollgate.workflows import rules
from tollgate.workflows.models import Step, StepKind, Workflow
from tollgate.workflows.pricing import StepPricing
from tollgate.workflows.reader import WorkflowReader
from tollgate.workflows.repository import StaleWorkflowError
from tollgate.workflows.request import AskedWorkflow, read_workflow
from tollgate.workflows.views import (
    WorkflowEstimateView,
    WorkflowView,
    estimate_view,
)

# Attempts to cancel; each but the first because a worker has moved the workflow meanwhile.
MAX_ATTEMPTS = 10
_CONFLICT = "Too many requests of this account at the same time."


@dataclass(frozen=True, slots=True)
class WorkflowService:
    """Workflows of an account."""

    reader: WorkflowReader
    quotes: QuoteRepository
    tasks: TaskService
    pricing: StepPricing
    clock: Clock

    def estimate(self, body: Mapping[str, Any], key: ApiKey) -> WorkflowEstimateView:
        """Return the amount that a create with the same body would reserve; nothing is charged.

        Raises as `create` does, but no errors about money.
        """
        return estimate_view(self._priced(read_workflow(body, self.tasks.webhook_guard), key))

    def create(
        self, body: Mapping[str, Any], key: ApiKey, idempotency_key: str | None, attribution: Attribution
    ) -> WorkflowView:
        """Reserve the money of a workflow and start it.

        Raises `InvalidInputError` with the problems of all steps, `PayloadTooLargeError`, `ForbiddenError`,
        `MaxCostExceededError`, the errors of a charge, `IdempotencyKeyReusedError` and
        `IdempotencyConflictError`. When it raises, nothing is reserved.
        """
        check_idempotency_key(idempotency_key)
        body_hash, now_ms = request_hash(body), self.clock.now_ms()
        if idempotency_key is not None:
            earlier = self.tasks.idempotency.earlier(key.caller, idempotency_key, now_ms)
            if earlier is not None:
                return self._repeated(key, earlier, body_hash)
        asked = read_workflow(body, self.tasks.webhook_guard)
        steps = self._priced(asked, key)
        if asked.webhook is not None:
            check_host("/webhook", asked.webhook, self.tasks.webhook_guard)
        total_cents = cents_up(sum(step.micro_usd for step in steps))
        if asked.max_cost_cents is not None and total_cents > asked.max_cost_cents:
            raise MaxCostExceededError(total_cents, asked.max_cost_cents)
        try:
            return self.reader.view(
                self._reserve(asked, steps, key, repeat=(idempotency_key, body_hash), attribution=attribution)
            )
        except AlreadyCreatedError as exc:
            return self._repeated(key, exc, body_hash)
        except WriteConflictError as exc:
            if idempotency_key is not None:
                raise IdempotencyConflictError from exc
            raise ConcurrencyLimitedError(_CONFLICT) from exc
        except MarkupChangedError as exc:
            raise _no_workflows() from exc

    def cancel(self, caller: Caller, workflow_id: str) -> WorkflowView:
        """Start no further step, and end the running generations as `TaskService.cancel` says.

        A repeat changes nothing more. Raises `WorkflowNotFoundError`, `ConcurrencyLimitedError`.
        """
        workflow = self._stopped(caller, workflow_id)
        # A crash before here leaves tasks that run to their end; a repeat ends them.
        for step in workflow.running(StepKind.MEDIA):
            if step.task_id is not None:
                self.tasks.cancel(caller, step.task_id)
        return self.reader.view(workflow)

    def _stopped(self, caller: Caller, workflow_id: str) -> Workflow:
        """Return a workflow of which no further step starts."""
        for _ in range(MAX_ATTEMPTS):
            workflow = self.reader.find(caller, workflow_id)
            if workflow.has_ended or workflow.is_cancelled:
                return workflow
            now_ms = self.clock.now_ms()
            stopped = rules.without_needless(replace(workflow, is_cancelled=True), now_ms)
            # The sweeper looks soon: perhaps no step runs whose end would have a worker look.
            stopped = replace(rules.moved(stopped, now_ms), wake_at_ms=now_ms)
            try:
                self.reader.workflows.save(stopped)
            except StaleWorkflowError:
                continue
            logger.info("workflow.cancelled", workflow_id=workflow_id)
            return stopped
        raise ConcurrencyLimitedError(_CONFLICT)

    def _priced(self, asked: AskedWorkflow, key: ApiKey) -> tuple[Step, ...]:
        if self.tasks.charges.markup_percent(key.account_id, now=True):
            raise _no_workflows()
        return self.pricing.priced(asked.steps, key)

    def _reserve(
        self,
        asked: AskedWorkflow,
        steps: tuple[Step, ...],
        key: ApiKey,
        *,
        repeat: tuple[str | None, str],
        attribution: Attribution,
    ) -> Workflow:
        """Write the workflow and the hold of its money in one transaction.

        `repeat` are the idempotency key and the hash of the body.
        """
        idempotency_key, body_hash = repeat
        account_id, now_ms = key.account_id, self.clock.now_ms()
        allowance, spender = key.allowance(now_ms), key.spender(attribution)
        counter = None if allowance is None else allowance.counter
        workflow_id, quote_id = new_id(WORKFLOW_PREFIX), new_id(QUOTE_PREFIX)
        ends_at_ms = rules.deadline_ms(steps, now_ms)
        made: list[Workflow] = []

        def together(placed: Purchase, row_id: str) -> Sequence[Write]:
            budgets = () if placed.hold is None else placed.hold.budgets
            reservation = Reservation(
                quote_id, row_id, key.key_id, ends_at_ms, spender.attribution, counter, budgets
            )
            workflow = Workflow(
                workflow_id,
                account_id,
                key.key_id,
                steps,
                reservation,
                now_ms,
                ends_at_ms,
                wake_at_ms=now_ms + rules.LOOK_MS,
                name=asked.name,
                webhook=asked.webhook,
                correlation_id=correlation_id(),
            )
            made[:] = [workflow]
            # Chats take their holds from it by its row, like the text requests of any quote.
            quote = SavedQuote(account_id, quote_id, key.key_id, (), now_ms, QuoteStatus.CREATED, reservation)
            writes = [self.reader.workflows.added(workflow), self.quotes.added(quote)]
            if idempotency_key is None:
                return writes
            store = self.tasks.idempotency
            return [store.tie(key.caller, [workflow_id], now_ms, idempotency_key, body_hash), *writes]

        hold = Hold(quote_id, sum(step.micro_usd for step in steps), ends_at_ms, counter)
        self.tasks.buy(Purchase(account_id, now_ms, [], [], hold), together, allowance, spender)
        logger.info(
            "workflow.created", workflow_id=workflow_id, steps=len(steps), micro_usd=hold.amount_micro_usd
        )
        return made[0]

    def _repeated(self, key: ApiKey, earlier: AlreadyCreatedError, body_hash: str) -> WorkflowView:
        """Return the workflow that an idempotency key created before."""
        (workflow_id, *_) = earlier.task_ids
        if earlier.request_hash != body_hash or not is_id(WORKFLOW_PREFIX, workflow_id):
            raise IdempotencyKeyReusedError
        logger.info("workflow.repeated", workflow_id=workflow_id)
        return self.reader.one(key.caller, workflow_id)


def _no_workflows() -> ForbiddenError:
    message = "A sub-account with a mark-up has no workflows."
    return ForbiddenError(message, "Send the requests one by one.")
