"""One attempt of one delivery: enter the account's lane, claim, send, record, leave.

A crash between two of these steps loses nothing: the sweeper finds the delivery by its `wake_at`, and the
slot in the lane expires. After a crash during the send, the event may be sent twice, with the same id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import httpx

from tollgate.accounts.models import Account
from tollgate.accounts.webhook_secrets import live_secrets
from tollgate.kit.aws.queue import MAX_DELAY_S, Queue
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.http.addresses import ForbiddenAddressError
from tollgate.kit.http.outbound import Outbound, OutboundAnswer
from tollgate.kit.observability import add_to_log
from tollgate.webhooks.failing_endpoints import FailingEndpoints
from tollgate.webhooks.models import TEST_EVENT, Delivery, DeliveryAttempt, DeliveryStatus
from tollgate.webhooks.payload import (
    MAX_TEXT,
    Event,
    build_test_event,
    delivery_headers,
    readable,
)
from tollgate.webhooks.repository import DeliveryRepository, LaneRepository, StaleDeliveryError
from tollgate.webhooks.schedule import after_attempt, claimed, defer, has_attempts_left

# For the whole exchange: the receiver must answer within this time (site/webhooks.md#the-event).
TIMEOUT_S = 10.0
# An attempt that took this long was slow: its account's lane is narrow until an attempt is quicker.
SLOW_MS = 2 * MS_PER_S
INTERRUPTED_ATTEMPT = "The attempt did not end; it may have arrived."


class DeliveryOutcome(StrEnum):
    """The result of a message for one attempt."""

    STALE = "stale"  # Nothing was sent: another worker has the delivery, or it has ended.
    # Nothing was sent: the account's lane is full, and the delivery is deferred.
    WAITING = "waiting"
    DELIVERED = "delivered"  # The receiver answered 2xx.
    RETRY = "retry"  # The attempt failed; another one follows.
    EXHAUSTED = "exhausted"  # The last attempt failed.


class NoReceiverAnswerError(Exception):
    """An attempt without an answer; the message, which customers see, gives the reason."""


@dataclass(frozen=True, slots=True)
class WebhookSender:
    """Delivers webhooks."""

    deliveries: DeliveryRepository
    lanes: LaneRepository
    event_of_task: Callable[[Delivery], Event | None]
    account: Callable[[str], Account | None]
    outbound: Outbound
    queue: Queue
    failing: FailingEndpoints
    clock: Clock

    def deliver(self, delivery_id: str, seq: int) -> DeliveryOutcome:
        """Send the attempt that `seq` names; a stale or repeated message does nothing."""
        delivery = self.deliveries.get(delivery_id)
        if delivery is None or delivery.seq != seq or delivery.status is not DeliveryStatus.PENDING:
            return DeliveryOutcome.STALE
        add_to_log(task_id=delivery.task_id, correlation_id=delivery.correlation_id)
        now_ms = self.clock.now_ms()
        try:
            if not has_attempts_left(delivery):
                # It was claimed, but no result was recorded: it counts, so that attempts stay bounded.
                return self._record(delivery, DeliveryAttempt(now_ms, 0, error=INTERRUPTED_ATTEMPT))
            # Enter the lane before the claim, so that a deferred delivery does not use up an attempt.
            slot = self.lanes.enter(delivery.account_id, now_ms)
            if slot is None:
                return self._defer(delivery, now_ms)
            return self._attempt(claimed(delivery, now_ms), slot)
        except StaleDeliveryError:
            return DeliveryOutcome.STALE

    def _attempt(self, delivery: Delivery, slot: str) -> DeliveryOutcome:
        slow = None
        try:
            # The claim is written before the POST. An attempt that dies is counted, so attempts stay bounded.
            # The receiver may get it twice, because deliveries are at least once.
            self.deliveries.save(delivery)
            attempt = self._send(delivery)
            slow = attempt.duration_ms >= SLOW_MS
            return self._record(delivery, attempt)
        finally:
            # Also after an exception: an unreturned slot blocks the account until its lease ends.
            self.lanes.leave(delivery.account_id, slot, slow=slow)

    def _defer(self, delivery: Delivery, now_ms: int) -> DeliveryOutcome:
        waiting, wait_s = defer(delivery, now_ms)
        self.deliveries.save(waiting)
        self._send_message(waiting, wait_s)
        return DeliveryOutcome.WAITING

    def _record(self, delivery: Delivery, attempt: DeliveryAttempt) -> DeliveryOutcome:
        now_ms = self.clock.now_ms()
        noted, wait_s = after_attempt(delivery, attempt, now_ms)
        # Note it before the delivery ends: after a crash in between, the sweeper sends the delivery again.
        self.failing.record_failure(noted, now_ms)
        self.deliveries.save(noted)
        # Save before sending: a message with a `seq` that is not written yet would be dropped as stale.
        if wait_s is not None:
            self._send_message(noted, wait_s)
            return DeliveryOutcome.RETRY
        return DeliveryOutcome.DELIVERED if attempt.delivered else DeliveryOutcome.EXHAUSTED

    def _send_message(self, delivery: Delivery, wait_s: int) -> None:
        # SQS delays a message by at most 15 minutes; for a longer wait the sweeper is the timer.
        if wait_s <= MAX_DELAY_S:
            self.queue.send({"delivery_id": delivery.delivery_id, "seq": delivery.seq}, wait_s)

    def _send(self, delivery: Delivery) -> DeliveryAttempt:
        """Send once; return the attempt, with the answer or the error."""
        started_ms = self.clock.now_ms()
        try:
            answer = self._post(delivery)
        except NoReceiverAnswerError as exc:
            duration_ms = self.clock.now_ms() - started_ms
            return DeliveryAttempt(started_ms, duration_ms, error=readable(str(exc).encode()))
        duration_ms = self.clock.now_ms() - started_ms
        return DeliveryAttempt(started_ms, duration_ms, status=answer.status, answer=readable(answer.body))

    def _post(self, delivery: Delivery) -> OutboundAnswer:
        """Sign and post. Raises `NoReceiverAnswerError` for every failure without an HTTP answer."""
        account = self.account(delivery.account_id)
        if account is None:
            raise NoReceiverAnswerError("The account no longer exists.")
        now_ms = self.clock.now_ms()
        body = self._body(delivery)
        # Signed with every live secret: during a rotation, a receiver may have the old or the new one.
        secrets = [secret.text for secret in live_secrets(account.webhook_secrets, now_ms)]
        headers = delivery_headers(delivery.delivery_id, body, secrets, now_ms)
        try:
            return self.outbound.post(delivery.url, body, headers, TIMEOUT_S, MAX_TEXT)
        # Checked at each attempt, because a name that was public when it was entered may lead to an internal
        # address now.
        except ForbiddenAddressError as exc:
            raise NoReceiverAnswerError(f"Refused: the URL {exc}.") from exc
        except httpx.TimeoutException as exc:
            raise NoReceiverAnswerError(f"No response in time; {TIMEOUT_S:g} s are allowed.") from exc
        except (httpx.TransportError, httpx.InvalidURL) as exc:
            raise NoReceiverAnswerError(f"No connection, or no HTTP response: {exc}") from exc

    def _body(self, delivery: Delivery) -> bytes:
        if delivery.event == TEST_EVENT:
            return build_test_event(delivery).body()
        if delivery.data is not None and delivery.task_id is None:
            return Event(delivery.event, delivery.created_at_ms, delivery.data).body()
        event = None if delivery.task_id is None else self.event_of_task(delivery)
        if event is None:
            raise NoReceiverAnswerError("The task no longer exists.")
        return event.body()
