"""When a delivery is tried: design §6. Pure."""

from dataclasses import replace

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.queue import MAX_DELAY_S
from tollgate.webhooks.models import Delivery, DeliveryStatus

WAITS_S = (10, 30, 2 * 60, 10 * 60, 60 * 60, 6 * 60 * 60, 24 * 60 * 60)
"""The waits after each failed try; the first try is at once."""
MAX_TRIES = len(WAITS_S) + 1
CLAIM_LEASE_MS = 60 * MS_PER_S
"""Longer than one try may take."""
LATE_MS = 60 * MS_PER_S
"""How late a try may be before the sweeper sends it again."""


def claimed(delivery: Delivery, now_ms: int) -> Delivery:
    """Give the delivery with one more try counted, before the try is made."""
    return replace(delivery, attempt=delivery.attempt + 1, wake_at_ms=now_ms + CLAIM_LEASE_MS)


def after_try(delivery: Delivery, ok: bool, result: str, now_ms: int) -> tuple[Delivery, int | None]:
    """Give the claimed delivery after its try, and the seconds until the next one (`None`: no more)."""
    heard = replace(delivery, last_result=result)
    if ok:
        return replace(heard, status=DeliveryStatus.DELIVERED, wake_at_ms=None), None
    if delivery.attempt >= MAX_TRIES:
        return replace(heard, status=DeliveryStatus.EXHAUSTED, wake_at_ms=None), None
    wait_s = WAITS_S[delivery.attempt - 1]
    # Within the queue's reach a message makes the next try and the sweeper only watches over it;
    # beyond it the sweeper is the timer.
    late_ms = LATE_MS if wait_s <= MAX_DELAY_S else 0
    return replace(heard, wake_at_ms=now_ms + wait_s * MS_PER_S + late_ms), wait_s
