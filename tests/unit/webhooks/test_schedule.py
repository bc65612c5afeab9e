"""When a delivery is tried: now, then 10 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h (design §6)."""

from dataclasses import replace

import pytest

from tollgate.webhooks.models import Delivery, DeliveryStatus
from tollgate.webhooks.schedule import CLAIM_LEASE_MS, LATE_MS, MAX_TRIES, after_try, claimed
from tollgate.webhooks.service import TIMEOUT_S

NOW = 1_700_000_000_000
NEW = Delivery("evt_1", "usr_1", "task_1", "https://receiver.test/hook", NOW, wake_at_ms=NOW + LATE_MS)
WAITS_S = [10, 30, 120, 600, 3_600, 21_600, 86_400]


def after_attempt(number: int) -> Delivery:
    """Give the delivery as it is when its try of that number was claimed."""
    return replace(NEW, attempt=number, wake_at_ms=NOW + CLAIM_LEASE_MS)


class TestClaimed:
    def test_the_try_is_counted_before_it_is_made(self) -> None:
        assert claimed(NEW, NOW) == replace(NEW, attempt=1, wake_at_ms=NOW + CLAIM_LEASE_MS)

    def test_the_lease_outlives_a_try(self) -> None:
        assert CLAIM_LEASE_MS > TIMEOUT_S * 1_000


class TestAfterAFailure:
    @pytest.mark.parametrize(("number", "wait_s"), list(enumerate(WAITS_S, start=1)))
    def test_the_next_try_comes_after_the_published_wait(self, number: int, wait_s: int) -> None:
        delivery, given_s = after_try(after_attempt(number), False, "HTTP 500", NOW)
        assert given_s == wait_s
        assert delivery.status is DeliveryStatus.PENDING
        assert delivery.last_result == "HTTP 500"
        assert delivery.attempt == number

    @pytest.mark.parametrize(("number", "wait_s"), list(enumerate(WAITS_S, start=1)))
    def test_the_sweeper_watches_over_what_the_queue_can_hold_and_times_the_rest_itself(
        self, number: int, wait_s: int
    ) -> None:
        delivery, _ = after_try(after_attempt(number), False, "HTTP 500", NOW)
        # SQS holds a message for 15 minutes at most.
        late_ms = 60_000 if wait_s <= 900 else 0
        assert delivery.wake_at_ms == NOW + wait_s * 1_000 + late_ms

    def test_after_the_eighth_try_there_is_none(self) -> None:
        delivery, wait_s = after_try(after_attempt(8), False, "HTTP 500", NOW)
        assert wait_s is None
        assert delivery.status is DeliveryStatus.EXHAUSTED
        assert delivery.wake_at_ms is None
        assert MAX_TRIES == 8


class TestAfterASuccess:
    @pytest.mark.parametrize("number", [1, 4, 8])
    def test_it_is_over_whichever_try_it_was(self, number: int) -> None:
        delivery, wait_s = after_try(after_attempt(number), True, "HTTP 204", NOW)
        assert wait_s is None
        assert delivery.status is DeliveryStatus.DELIVERED
        assert delivery.wake_at_ms is None
        assert delivery.last_result == "HTTP 204"
