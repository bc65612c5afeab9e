"""When a delivery is tried: now, then 10 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, or by hand.

Source: site/webhooks.md.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.samples import finished_task
from tollgate.tasks.events import pending_delivery
from tollgate.webhooks.errors import RedeliveryLimitError
from tollgate.webhooks.models import Delivery, DeliveryAttempt, DeliveryStatus
from tollgate.webhooks.schedule import (
    CLAIM_LEASE_MS,
    LATE_MS,
    MAX_ATTEMPTS,
    MAX_LOG,
    after_attempt,
    claimed,
    defer,
    has_attempts_left,
    new_test_delivery,
    redelivered,
)
from tollgate.webhooks.sender import TIMEOUT_S

NOW = 1_700_000_000_000
NEW = pending_delivery(finished_task(), "https://receiver.test/hook", NOW)
TEST = new_test_delivery("usr_1", "https://receiver.test/hook", NOW)
WAITS_S = [10, 30, 120, 600, 3_600, 21_600, 86_400]
GOOD, BAD = DeliveryAttempt(NOW, 5, status=204, answer=""), DeliveryAttempt(NOW, 5, status=500, answer="no")
HOUR_MS = 3_600_000


def attempt_of(number: int) -> Delivery:
    """Return the delivery as it is when its attempt of that number was claimed."""
    return replace(claimed(NEW, NOW), attempts=number)


def failed_for_good() -> Delivery:
    """Return the delivery after its eighth attempt."""
    return after_attempt(attempt_of(8), BAD, NOW)[0]


def delivered() -> Delivery:
    """Return the delivery after an attempt that was heard."""
    return after_attempt(attempt_of(1), GOOD, NOW)[0]


class TestOwed:
    def test_an_ended_task_owes_its_event_now(self) -> None:
        assert (NEW.delivery_id, NEW.task_id, NEW.event) == ("evt_1", "task_1", "task.finished")
        assert NEW.next_attempt_at_ms == NOW
        assert NEW.wake_at_ms == NOW + LATE_MS


class TestForTest:
    def test_it_has_one_attempt(self) -> None:
        assert has_attempts_left(TEST)
        over, wait_s = after_attempt(claimed(TEST, NOW), BAD, NOW)
        assert (over.status, wait_s) == (DeliveryStatus.FAILED, None)

    def test_within_five_seconds_an_account_has_one(self) -> None:
        # NOW is a multiple of five seconds.
        assert new_test_delivery("usr_1", "https://other.test/", NOW + 4_999).delivery_id == TEST.delivery_id
        assert (
            new_test_delivery("usr_1", "https://receiver.test/hook", NOW + 5_000).delivery_id
            > TEST.delivery_id
        )

    def test_another_account_has_its_own(self) -> None:
        assert new_test_delivery("usr_2", "https://receiver.test/hook", NOW).delivery_id != TEST.delivery_id


class TestClaimed:
    def test_the_attempt_is_counted_before_it_is_made(self) -> None:
        made = claimed(replace(NEW, deferrals=3), NOW)
        assert (made.seq, made.attempts, made.deferrals) == (1, 1, 0)
        assert made.wake_at_ms == NOW + CLAIM_LEASE_MS

    def test_the_lease_outlives_an_attempt(self) -> None:
        assert CLAIM_LEASE_MS > TIMEOUT_S * 1_000


class TestAfterAFailure:
    @pytest.mark.parametrize(("number", "wait_s"), list(enumerate(WAITS_S, start=1)))
    def test_the_next_attempt_comes_after_the_published_wait(self, number: int, wait_s: int) -> None:
        delivery, given_s = after_attempt(attempt_of(number), BAD, NOW)
        assert given_s == wait_s
        assert delivery.status is DeliveryStatus.PENDING
        assert delivery.next_attempt_at_ms == NOW + wait_s * 1_000
        assert delivery.attempts == number

    @pytest.mark.parametrize(("number", "wait_s"), list(enumerate(WAITS_S, start=1)))
    def test_the_sweeper_watches_over_what_the_queue_can_hold_and_times_the_rest_itself(
        self, number: int, wait_s: int
    ) -> None:
        delivery, _ = after_attempt(attempt_of(number), BAD, NOW)
        # SQS holds a message for 15 minutes at most.
        late_ms = 60_000 if wait_s <= 900 else 0
        assert delivery.wake_at_ms == NOW + wait_s * 1_000 + late_ms

    def test_after_the_eighth_attempt_there_is_none(self) -> None:
        delivery, wait_s = after_attempt(attempt_of(8), BAD, NOW)
        assert wait_s is None
        assert delivery.status is DeliveryStatus.FAILED
        assert (delivery.wake_at_ms, delivery.next_attempt_at_ms) == (None, None)
        assert MAX_ATTEMPTS == 8


class TestAfterASuccess:
    @pytest.mark.parametrize("number", [1, 4, 8])
    def test_it_is_over_whichever_attempt_it_was(self, number: int) -> None:
        delivery, wait_s = after_attempt(attempt_of(number), GOOD, NOW)
        assert wait_s is None
        assert delivery.status is DeliveryStatus.DELIVERED
        assert (delivery.wake_at_ms, delivery.delivered_at_ms) == (None, NOW)


class TestLog:
    def test_it_has_the_newest_tries_the_oldest_first(self) -> None:
        delivery = NEW
        for number in range(MAX_LOG + 3):
            delivery, _ = after_attempt(
                claimed(replace(delivery, redeliveries=number), NOW), replace(BAD, at_ms=number), NOW
            )
        assert [one.at_ms for one in delivery.log] == list(range(3, MAX_LOG + 3))


class TestDefer:
    @pytest.mark.parametrize(
        ("deferrals", "least_s", "most_s"),
        [(0, 1, 2), (1, 2, 4), (5, 32, 64), (9, 450, 900), (500, 450, 900)],
    )
    def test_each_turn_doubles_the_wait_to_15_minutes_at_most(
        self, deferrals: int, least_s: int, most_s: int
    ) -> None:
        waits_s = [defer(replace(NEW, deferrals=deferrals, seq=seq), NOW)[1] for seq in range(50)]
        # Of so many, some are near the least.
        assert least_s <= min(waits_s) <= least_s + (most_s - least_s) / 4
        assert max(waits_s) <= most_s

    def test_those_turned_away_together_come_back_spread_out(self) -> None:
        waits_s = {defer(replace(NEW, delivery_id=f"evt_{n}", deferrals=5), NOW)[1] for n in range(50)}
        assert len(waits_s) > 10

    def test_it_is_no_attempt(self) -> None:
        waiting, wait_s = defer(NEW, NOW)
        assert (waiting.attempts, waiting.deferrals, waiting.seq) == (0, 1, 1)
        assert waiting.wake_at_ms == NOW + wait_s * 1_000 + LATE_MS


class TestRedelivered:
    @pytest.mark.parametrize("over", [failed_for_good, delivered])
    def test_what_is_over_is_tried_once_more_now(self, over: Callable[[], Delivery]) -> None:
        again = redelivered(over(), NOW + 1)
        assert again is not None
        assert again.status is DeliveryStatus.PENDING
        assert (again.next_attempt_at_ms, again.wake_at_ms) == (NOW + 1, NOW + 1 + LATE_MS)
        assert (again.delivery_id, again.redeliveries) == (NEW.delivery_id, 1)
        assert has_attempts_left(again)
        ended, wait_s = after_attempt(claimed(again, NOW + 1), BAD, NOW + 1)
        assert wait_s is None
        assert ended.status is over().status

    def test_one_that_waits_for_its_next_attempt_is_tried_now_and_keeps_its_schedule(self) -> None:
        waiting, _ = after_attempt(attempt_of(6), BAD, NOW)  # the seventh is six hours off
        again = redelivered(waiting, NOW + 1)
        assert again is not None
        after, wait_s = after_attempt(claimed(again, NOW + 1), BAD, NOW + 1)
        assert (after.status, wait_s) == (DeliveryStatus.PENDING, 21_600)
        assert after.attempts == 7

    def test_a_double_click_is_one_redelivery(self) -> None:
        again = redelivered(failed_for_good(), NOW)
        assert again is not None
        ended, _ = after_attempt(claimed(again, NOW), BAD, NOW)
        assert redelivered(ended, NOW + 9_999) is None
        assert redelivered(ended, NOW + 10_000) is not None

    def test_what_is_on_its_way_already_is_left_alone(self) -> None:
        assert redelivered(NEW, NOW) is None
        assert redelivered(claimed(NEW, NOW), NOW + 5) is None
        assert redelivered(defer(NEW, NOW)[0], NOW) is None

    def test_the_twenty_first_is_refused(self) -> None:
        assert redelivered(replace(failed_for_good(), redeliveries=19), NOW) is not None
        with pytest.raises(RedeliveryLimitError):
            redelivered(replace(failed_for_good(), redeliveries=20), NOW)


EVENTS = st.lists(st.sampled_from(["heard", "failed", "died", "again", "full", "pause"]), max_size=80)


class TestAnyLife:
    @given(EVENTS, st.sampled_from([NEW, TEST]))
    def test_it_is_bounded_and_whoever_waits_has_a_timer(self, events: list[str], delivery: Delivery) -> None:
        now_ms, heard = NOW, False
        for event in events:
            before = delivery
            pending = delivery.status is DeliveryStatus.PENDING
            if event == "pause":
                now_ms += HOUR_MS
            elif event == "again":
                try:
                    delivery = redelivered(delivery, now_ms) or delivery
                except RedeliveryLimitError:
                    assert delivery.redeliveries == 20
            elif pending and not has_attempts_left(delivery):
                delivery, _ = after_attempt(delivery, DeliveryAttempt(now_ms, 0, error="never ended"), now_ms)
            elif pending and event == "full":
                delivery, _ = defer(delivery, now_ms)
            elif pending:
                delivery = claimed(delivery, now_ms)
                if event != "died":
                    heard = heard or event == "heard"
                    delivery, _ = after_attempt(delivery, GOOD if event == "heard" else BAD, now_ms)
            waits = delivery.status is DeliveryStatus.PENDING
            assert (delivery.wake_at_ms is not None) is waits
            assert (delivery.next_attempt_at_ms is not None) is waits
            assert delivery is before or delivery.seq > before.seq
            assert delivery.attempts <= 8 + 20
            assert len(delivery.log) <= MAX_LOG
            if not waits:
                assert (delivery.status is DeliveryStatus.DELIVERED) is heard
