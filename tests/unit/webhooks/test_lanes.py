"""How many attempts an account has in the air (moto)."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Aws
from tests.support.laws import examples
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.webhooks.repository import MAX_IN_LANE, MAX_IN_SLOW_LANE, LaneRepository
from tollgate.webhooks.schedule import CLAIM_LEASE_MS

NOW = 1_700_000_000_000


@pytest.fixture
def lanes(aws: Aws) -> LaneRepository:
    return LaneRepository(
        Database(aws.clients.dynamodb, sleep=lambda _: None), aws.stack.refs["WebhookLanesTable"]
    )


def fill(lanes: LaneRepository, now_ms: int = NOW, account_id: str = "usr_1") -> list[str]:
    """Enter until the lane is full; give the slots."""
    return list(_entered(lanes, now_ms, account_id))


def _entered(lanes: LaneRepository, now_ms: int, account_id: str) -> Iterator[str]:
    for _ in range(MAX_IN_LANE + 1):
        slot = lanes.enter(account_id, now_ms)
        if slot is None:
            return
        yield slot


class TestEnter:
    def test_a_lane_has_ten_slots(self, lanes: LaneRepository) -> None:
        assert len(set(fill(lanes))) == MAX_IN_LANE == 10

    def test_another_account_has_a_lane_of_its_own(self, lanes: LaneRepository) -> None:
        fill(lanes)
        assert lanes.enter("usr_2", NOW) is not None

    def test_a_slot_that_is_given_back_can_be_taken(self, lanes: LaneRepository) -> None:
        first, *_ = fill(lanes)
        lanes.leave("usr_1", first, slow=False)
        assert len(fill(lanes)) == 1

    def test_a_slot_is_given_back_once(self, lanes: LaneRepository) -> None:
        first, *_ = fill(lanes)
        for _ in range(3):
            lanes.leave("usr_1", first, slow=False)
        assert len(fill(lanes)) == 1


class TestASlowReceiver:
    def test_while_attempts_are_slow_the_lane_has_two_slots(self, lanes: LaneRepository) -> None:
        for slot in fill(lanes):
            lanes.leave("usr_1", slot, slow=True)
        assert len(fill(lanes)) == MAX_IN_SLOW_LANE == 2

    def test_a_quick_one_opens_it_again(self, lanes: LaneRepository) -> None:
        for slot in fill(lanes):
            lanes.leave("usr_1", slot, slow=True)
        slot, *_ = fill(lanes)
        lanes.leave("usr_1", slot, slow=False)
        assert len(fill(lanes)) == MAX_IN_LANE - 1

    def test_an_attempt_that_was_never_made_says_nothing(self, lanes: LaneRepository) -> None:
        first, second, *_ = fill(lanes)
        lanes.leave("usr_1", first, slow=True)
        lanes.leave("usr_1", second, slow=None)
        assert fill(lanes) == []


class TestWorkersThatDied:
    def test_their_slots_are_given_up_after_the_lease_and_not_before(self, lanes: LaneRepository) -> None:
        fill(lanes)
        assert fill(lanes, NOW + CLAIM_LEASE_MS - 1) == []
        assert len(fill(lanes, NOW + CLAIM_LEASE_MS)) == MAX_IN_LANE

    def test_slots_of_the_living_stay(self, lanes: LaneRepository) -> None:
        for _ in range(4):
            lanes.enter("usr_1", NOW)
        for _ in range(6):
            lanes.enter("usr_1", NOW + 1_000)
        assert len(fill(lanes, NOW + CLAIM_LEASE_MS)) == 4

    def test_one_that_was_only_late_gives_back_what_is_its_own(self, lanes: LaneRepository) -> None:
        late, *_ = fill(lanes)
        later = NOW + CLAIM_LEASE_MS
        fill(lanes, later)
        lanes.leave("usr_1", late, slow=False)
        assert fill(lanes, later) == []


STEPS = st.lists(st.sampled_from(["enter", "leave quick", "leave slow", "die", "minute"]), max_size=40)


class TestAnyTraffic:
    @given(STEPS)
    @settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_living_tries_never_exceed_the_lane(self, lanes: LaneRepository, steps: list[str]) -> None:
        account_id = new_id("usr")
        now_ms, flying, slow = NOW, list[str](), False
        for step in steps:
            if step == "enter":
                slot = lanes.enter(account_id, now_ms)
                if slot is not None:
                    assert len(flying) < (MAX_IN_SLOW_LANE if slow else MAX_IN_LANE)
                    flying.append(slot)
            elif step == "minute":
                # Longer than any attempt: who was in the air is dead, or has landed.
                now_ms, flying = now_ms + CLAIM_LEASE_MS, []
            elif flying and step == "die":
                flying.pop()
            elif flying:
                slow = step == "leave slow"
                lanes.leave(account_id, flying.pop(), slow=slow)
        assert len(fill(lanes, now_ms + CLAIM_LEASE_MS, account_id)) == (2 if slow else 10)
