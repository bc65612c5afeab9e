"""One try of one delivery."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import httpx

from tollgate.accounts.models import Account
from tollgate.kit.addresses import ForbiddenAddressError
from tollgate.kit.clock import Clock
from tollgate.kit.outbound import Outbound
from tollgate.kit.queue import MAX_DELAY_S, Queue
from tollgate.tasks.models import Task
from tollgate.webhooks.models import Delivery, DeliveryStatus
from tollgate.webhooks.payload import payload, signed_headers
from tollgate.webhooks.repository import DeliveryMovedError, DeliveryRepository
from tollgate.webhooks.schedule import MAX_TRIES, after_try, claimed

TIMEOUT_S = 10.0
"""Of the whole exchange: the receiver has this long to answer (design §6)."""
MAX_ANSWER_BYTES = 1024
"""What is read of an answer; the rest is the receiver's own affair."""
FIRST_SUCCESS, FIRST_REDIRECT = 200, 300


class TryOutcome(StrEnum):
    """What came of asking for a try."""

    STALE = "stale"
    """Another worker has it, or it is over: nothing was sent."""
    DELIVERED = "delivered"
    """The receiver answered 2xx."""
    RETRY = "retry"
    """It failed and will be tried again."""
    EXHAUSTED = "exhausted"
    """It failed for the last time."""


@dataclass(frozen=True, slots=True)
class WebhookService:
    """Delivers webhooks: claim, send, record."""

    deliveries: DeliveryRepository
    task: Callable[[str], Task | None]
    account: Callable[[str], Account | None]
    outbound: Outbound
    queue: Queue
    clock: Clock

    def deliver(self, delivery_id: str, attempt: int) -> TryOutcome:
        """Make the try after `attempt` tries; a repeat of a try that was made does nothing."""
        delivery = self.deliveries.get(delivery_id)
        if delivery is None or delivery.attempt != attempt or delivery.status is not DeliveryStatus.PENDING:
            return TryOutcome.STALE
        try:
            if delivery.attempt < MAX_TRIES:
                return self._try(claimed(delivery, self.clock.now_ms()))
            # It was claimed, and nobody wrote down what came of it: the tries are bounded all the same.
            return self._record(delivery, False, "the last try did not end")
        except DeliveryMovedError:
            return TryOutcome.STALE

    def _try(self, delivery: Delivery) -> TryOutcome:
        self.deliveries.claim(delivery)
        ok, result = self._send(delivery)
        return self._record(delivery, ok, result)

    def _record(self, delivery: Delivery, ok: bool, result: str) -> TryOutcome:
        delivery, wait_s = after_try(delivery, ok, result, self.clock.now_ms())
        self.deliveries.record(delivery)
        if wait_s is not None and wait_s <= MAX_DELAY_S:
            self.queue.send({"delivery_id": delivery.delivery_id, "attempt": delivery.attempt}, wait_s)
        if ok:
            return TryOutcome.DELIVERED
        return TryOutcome.EXHAUSTED if wait_s is None else TryOutcome.RETRY

    def _send(self, delivery: Delivery) -> tuple[bool, str]:
        """Send once. Gives whether the receiver took it, and a short result for the log."""
        task, account = self.task(delivery.task_id), self.account(delivery.account_id)
        if task is None or account is None:
            return False, "the task or its account is gone"
        body = payload(task)
        headers = signed_headers(delivery.delivery_id, body, account.webhook_secrets, self.clock.now_ms())
        try:
            answer = self.outbound.post(delivery.url, body, headers, TIMEOUT_S, MAX_ANSWER_BYTES)
        except ForbiddenAddressError as exc:
            return False, f"the URL {exc}"
        except (httpx.TransportError, httpx.InvalidURL) as exc:
            return False, type(exc).__name__
        return FIRST_SUCCESS <= answer.status < FIRST_REDIRECT, f"HTTP {answer.status}"
