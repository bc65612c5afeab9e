"""When a delivery is attempted (site/webhooks.md#attempts). Pure: each function returns what to write.

pending ─► claimed ─► after_attempt ─► delivered
  │ ▲         ▲          │ └─────► failed ◄──┐
  ▼ │         └──(waits)─┘                   │
 defer                          redelivered ─┴─► one more attempt, now
"""

import zlib
from dataclasses import replace

from tollgate.kit.aws.queue import MAX_DELAY_S
from tollgate.kit.clock import MS_PER_S
from tollgate.webhooks.errors import RedeliveryLimitError
from tollgate.webhooks.models import (
    PROGRESS_EVENT,
    TEST_EVENT,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    named_delivery_id,
)

# The waits after each failed attempt; the first attempt is immediate. They need no jitter, because an
# account's lane spreads deliveries that are due together.
WAITS_S = (10, 30, 2 * 60, 10 * 60, 60 * 60, 6 * 60 * 60, 24 * 60 * 60)
MAX_ATTEMPTS = len(WAITS_S) + 1
# A test is sent once. The progress of a task is soon outdated.
MOST_ATTEMPTS = {TEST_EVENT: 1, PROGRESS_EVENT: 3}
# Longer than the timeout of one attempt.
CLAIM_LEASE_MS = 60 * MS_PER_S
# The delay after which the sweeper sends the message of an attempt again.
LATE_MS = 60 * MS_PER_S
# The wait doubles each time the lane is full, so a delivery waits at most twice as long as necessary.
FIRST_DEFERRAL_S = 2
MAX_REDELIVERIES = 20
# A second request for a redelivery within this time is a double click, and is ignored.
REDELIVERY_GAP_MS = 10 * MS_PER_S
# One test per account in this time, so that no one can flood another company's server through Tollgate. It is
# the `Retry-After` of `ConcurrencyLimitedError`.
TEST_GAP_MS = 5 * MS_PER_S
# Attempts in a row, each with up to 3 KB of the answer as stored. DynamoDB's limit for a row is 400 KB.
MAX_LOG = 10


def due_now(delivery: Delivery) -> Delivery:
    """Return a new delivery, due when it was created; the sweeper sends its message if nobody else does."""
    now_ms = delivery.created_at_ms
    return replace(delivery, next_attempt_at_ms=now_ms, wake_at_ms=now_ms + LATE_MS)


def new_test_delivery(account_id: str, url: str, now_ms: int, correlation_id: str | None = None) -> Delivery:
    """Return the delivery of a test event, due now. Within `TEST_GAP_MS` an account's tests have one id."""
    window_ms = now_ms // TEST_GAP_MS * TEST_GAP_MS
    test_id = named_delivery_id(window_ms, account_id)
    return due_now(Delivery(test_id, account_id, url, TEST_EVENT, now_ms, correlation_id=correlation_id))


def has_attempts_left(delivery: Delivery) -> bool:
    """Return whether a pending delivery has an attempt left; it has none if its last attempt did not end."""
    most = MOST_ATTEMPTS.get(delivery.event, MAX_ATTEMPTS)
    return delivery.attempts - delivery.redeliveries < most


def claimed(delivery: Delivery, now_ms: int) -> Delivery:
    """Return the delivery with one more attempt counted, before the attempt is sent."""
    return replace(
        delivery,
        seq=delivery.seq + 1,
        attempts=delivery.attempts + 1,
        deferrals=0,
        next_attempt_at_ms=now_ms,
        wake_at_ms=now_ms + CLAIM_LEASE_MS,
    )


def spread_s(name: str, most_s: int) -> int:
    """Return a wait in the second half of `most_s`, always the same for a name.

    So messages that were deferred together do not return together.
    """
    return most_s - zlib.crc32(name.encode()) % (most_s // 2 + 1)


def defer(delivery: Delivery, now_ms: int) -> tuple[Delivery, int]:
    """Return a delivery whose account's lane is full, and the seconds until its next message."""
    ceiling_s = min(FIRST_DEFERRAL_S << delivery.deferrals, MAX_DELAY_S)
    wait_s = spread_s(f"{delivery.delivery_id}#{delivery.seq}", ceiling_s)
    waiting = replace(delivery, seq=delivery.seq + 1, deferrals=delivery.deferrals + 1)
    return _due_after(waiting, wait_s, now_ms), wait_s


def after_attempt(delivery: Delivery, attempt: DeliveryAttempt, now_ms: int) -> tuple[Delivery, int | None]:
    """Return the claimed delivery after its attempt, and the seconds until the next one (`None`: no more)."""
    noted = replace(delivery, seq=delivery.seq + 1, log=(*delivery.log, attempt)[-MAX_LOG:])
    if attempt.delivered:
        return _ended(replace(noted, delivered_at_ms=now_ms)), None
    # A redelivery of a delivered event is not repeated, and its failure does not change the state.
    if noted.delivered_at_ms is not None or not has_attempts_left(noted):
        return _ended(noted), None
    # Redeliveries do not count in the schedule: the wait that one interrupted starts again.
    wait_s = WAITS_S[noted.attempts - noted.redeliveries - 1]
    return _due_after(noted, wait_s, now_ms), wait_s


def redelivered(delivery: Delivery, now_ms: int) -> Delivery | None:
    """Return the delivery as due now, at its customer's request; `None` if an attempt is on its way.

    Raises `RedeliveryLimitError`.
    """
    asked_ms = delivery.redelivered_at_ms
    repeated = asked_ms is not None and now_ms - asked_ms < REDELIVERY_GAP_MS
    due = delivery.next_attempt_at_ms is not None and delivery.next_attempt_at_ms <= now_ms
    # Requested a moment ago, due now, or deferred: an attempt is on its way, and a second message would only
    # be stale.
    if repeated or due or delivery.deferrals:
        return None
    if delivery.redeliveries >= MAX_REDELIVERIES:
        raise RedeliveryLimitError(MAX_REDELIVERIES)
    return replace(
        delivery,
        status=DeliveryStatus.PENDING,
        seq=delivery.seq + 1,
        redeliveries=delivery.redeliveries + 1,
        redelivered_at_ms=now_ms,
        next_attempt_at_ms=now_ms,
        wake_at_ms=now_ms + LATE_MS,
    )


def _due_after(delivery: Delivery, wait_s: int, now_ms: int) -> Delivery:
    next_attempt_at_ms = now_ms + wait_s * MS_PER_S
    # For a wait that SQS supports, a message starts the next attempt and the sweeper is the fallback. For a
    # longer wait, the sweeper is the timer.
    late_ms = LATE_MS if wait_s <= MAX_DELAY_S else 0
    return replace(delivery, next_attempt_at_ms=next_attempt_at_ms, wake_at_ms=next_attempt_at_ms + late_ms)


def _ended(delivery: Delivery) -> Delivery:
    delivered = delivery.delivered_at_ms is not None
    status = DeliveryStatus.DELIVERED if delivered else DeliveryStatus.FAILED
    return replace(delivery, status=status, next_attempt_at_ms=None, wake_at_ms=None)
