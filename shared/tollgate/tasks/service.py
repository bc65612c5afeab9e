"""What customers do with tasks: what would it cost, make it, how is it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tollgate.catalog.loader import Catalog
from tollgate.catalog.pricing import Quote, quote
from tollgate.kit.addresses import AddressGuard, ForbiddenAddressError, UnresolvedError
from tollgate.kit.clock import MS_PER_S, Clock, iso
from tollgate.kit.dynamodb import WriteConflictError
from tollgate.kit.errors import (
    ConcurrencyLimitedError,
    IdempotencyConflictError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    MaxCostExceededError,
    Problem,
    TaskNotFoundError,
)
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import charge_entry
from tollgate.ledger.repository import LedgerRepository
from tollgate.probing.facts import MediaFacts, Probed, ProbeError
from tollgate.tasks.idempotency import AlreadyCreatedError, IdempotencyStore
from tollgate.tasks.lifecycle import STEP_GRACE_MS
from tollgate.tasks.models import Task, TaskStatus
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.request import CreateRequest, check_idempotency_key, parse_request, request_hash

RESOLVE_TIMEOUT_S = 1.0
"""How long a create waits for the name in a webhook URL; each delivery checks it again anyway."""


class MediaProber(Protocol):
    """Tells what media is, without reading it whole."""

    def probe(self, urls: Sequence[str]) -> Mapping[str, Probed]:
        """Give for each URL what the media is, or why that cannot be told."""


@dataclass(frozen=True, slots=True)
class TaskService:
    """Estimates, creates and shows tasks."""

    tasks: TaskRepository
    ledger: LedgerRepository
    idempotency: IdempotencyStore
    catalog: Catalog
    webhook_guard: AddressGuard
    prober: MediaProber
    clock: Clock

    def estimate(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Give the `data` of an estimate: exactly what create would debit, in cents."""
        request = parse_request(body, self.catalog, self.webhook_guard)
        price = self._quote(request)
        return {
            "model": request.model.id,
            "price": price.charge_cents,
            "currency": "USD",
            "breakdown": price.breakdown,
            "priceVersion": price.price_version,
        }

    def create(self, account_id: str, body: Mapping[str, Any], idempotency_key: str | None) -> dict[str, Any]:
        """Charge and queue a generation; give the `data` of the contract's task creation result.

        Raises the errors of `parse_request`, `MaxCostExceededError`, what the charge is refused with,
        and for the Idempotency-Key `IdempotencyKeyReusedError` and `IdempotencyConflictError`. When it
        raises, nothing was charged.
        """
        check_idempotency_key(idempotency_key)
        request = parse_request(body, self.catalog, self.webhook_guard)
        self._check_webhook_host(request.webhook)
        price = self._quote(request)
        if request.max_cost_cents is not None and price.charge_cents > request.max_cost_cents:
            raise MaxCostExceededError(price.charge_cents, request.max_cost_cents)
        task = _new_task(account_id, request, price, self.clock.now_ms())
        return self._queue(task, idempotency_key, request_hash(body))

    def status(self, account_id: str, task_id: str) -> dict[str, Any]:
        """Give the `data` of a task's status. Raises `TaskNotFoundError`, also for another's task."""
        task = self.tasks.get(task_id)
        if task is None or task.account_id != account_id:
            raise TaskNotFoundError
        return task.view()

    def _queue(self, task: Task, key: str | None, body_hash: str) -> dict[str, Any]:
        """Write charge and task in one transaction, or find the task that `key` made before."""
        charge = charge_entry(
            task.account_id, task.task_id, task.model, task.charge_micro_usd, task.created_at_ms
        )
        # The key comes first: a repeat gives its task, whatever became of the balance since.
        remember = [] if key is None else [self.idempotency.remember(task, key, body_hash)]
        try:
            self.tasks.create(task, [*remember, *self.ledger.charge(charge)])
        except AlreadyCreatedError as exc:
            if exc.request_hash != body_hash:
                raise IdempotencyKeyReusedError from exc
            return _created(exc.task_id, exc.created_at_ms)
        except WriteConflictError as exc:
            if key is not None:
                raise IdempotencyConflictError from exc
            raise ConcurrencyLimitedError("Too many requests of this account at the same time.") from exc
        return _created(task.task_id, task.created_at_ms)

    def _quote(self, request: CreateRequest) -> Quote:
        """Price a request; media whose length or size matters is probed first, and never guessed."""
        model, checked = request.model, request.checked
        wanted = model.probes(checked)
        found = self.prober.probe([one.url for one in wanted])
        unreadable = {url: facts for url, facts in found.items() if isinstance(facts, ProbeError)}
        if unreadable:
            raise InvalidInputError(
                [Problem(one.path, unreadable[one.url].message) for one in wanted if one.url in unreadable]
            )
        facts = {url: facts for url, facts in found.items() if isinstance(facts, MediaFacts)}
        return quote(model, checked, model.check_media(checked, facts))

    def _check_webhook_host(self, url: str | None) -> None:
        if url is None:
            return
        host, port = self.webhook_guard.check_url(url)
        try:
            self.webhook_guard.resolve(host, port, RESOLVE_TIMEOUT_S)
        except ForbiddenAddressError as exc:
            raise InvalidInputError([Problem("/webhook", f"The URL {exc}.")]) from exc
        except UnresolvedError:
            # A name server that is slow now must not stop a generation; the delivery checks again.
            return


def _new_task(account_id: str, request: CreateRequest, price: Quote, now_ms: int) -> Task:
    return Task(
        task_id=new_id("task"),
        account_id=account_id,
        model=request.model.id,
        values=request.checked.values,
        charge_micro_usd=price.charge_micro_usd,
        price_version=price.price_version,
        created_at_ms=now_ms,
        deadline_at_ms=now_ms + request.model.deadline_s * MS_PER_S,
        wake_at_ms=now_ms + STEP_GRACE_MS,
        webhook=request.webhook,
        metadata=request.metadata,
    )


def _created(task_id: str, created_at_ms: int) -> dict[str, Any]:
    return {"taskId": task_id, "status": str(TaskStatus.NOT_STARTED), "createdAt": iso(created_at_ms)}
