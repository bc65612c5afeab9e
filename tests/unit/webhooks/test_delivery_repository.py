"""Deliveries in DynamoDB (moto): each change is made by one worker."""

from dataclasses import replace

import pytest

from tests.conftest import Aws
from tests.support.samples import finished_task
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.due_index import Due, DueIndex
from tollgate.tasks.events import pending_delivery
from tollgate.webhooks.models import Delivery, DeliveryAttempt, DeliveryStatus, delivery_id_of
from tollgate.webhooks.repository import DeliveryRepository, StaleDeliveryError
from tollgate.webhooks.schedule import after_attempt, claimed, redelivered

NOW = 1_700_000_000_000
NEW = pending_delivery(finished_task(), "https://receiver.test/hook", NOW)
CLAIMED = claimed(NEW, NOW)
BAD = DeliveryAttempt(NOW, 12, status=500, answer="no\n")


@pytest.fixture
def deliveries(aws: Aws) -> DeliveryRepository:
    """Return the repository with one delivery."""
    database = Database(aws.clients.dynamodb, sleep=lambda _: None)
    repository = DeliveryRepository(database, aws.stack.refs["DeliveriesTable"])
    database.transact([repository.enqueue(NEW)])
    return repository


@pytest.fixture
def due(aws: Aws) -> DueIndex:
    """Return the timers of deliveries."""
    return DueIndex(Database(aws.clients.dynamodb), aws.stack.refs["DeliveriesTable"], "delivery_id")


class TestEnqueue:
    def test_the_delivery_is_there_and_due_in_time(
        self, deliveries: DeliveryRepository, due: DueIndex
    ) -> None:
        assert deliveries.get("evt_1") == NEW
        assert due.due(NOW + 59_999, 10) == []
        assert due.due(NOW + 60_000, 10) == [Due("evt_1", 0)]

    def test_one_event_is_one_delivery(self, deliveries: DeliveryRepository) -> None:
        assert delivery_id_of("task_01J") == delivery_id_of("task_01J") == "evt_01J"
        with pytest.raises(StaleDeliveryError):
            deliveries.add(replace(NEW, url="https://other.test/"))
        assert deliveries.get("evt_1") == NEW

    def test_an_unknown_one_is_none(self, deliveries: DeliveryRepository) -> None:
        assert deliveries.get("evt_2") is None


class TestSave:
    def test_a_whole_life_comes_back_as_it_was_written(self, deliveries: DeliveryRepository) -> None:
        waiting, _ = after_attempt(CLAIMED, BAD, NOW)
        again = redelivered(waiting, NOW + 1)
        assert again is not None
        heard, _ = after_attempt(
            claimed(again, NOW + 2), DeliveryAttempt(NOW, 3, status=200, answer=""), NOW + 3
        )
        for delivery in (CLAIMED, waiting, again, claimed(again, NOW + 2), heard):
            deliveries.save(delivery)
            assert deliveries.get("evt_1") == delivery

    def test_an_attempt_without_an_answer_comes_back_too(self, deliveries: DeliveryRepository) -> None:
        deliveries.save(CLAIMED)
        waiting, _ = after_attempt(CLAIMED, DeliveryAttempt(NOW, 10_000, error="No answer in time."), NOW)
        deliveries.save(waiting)
        assert deliveries.get("evt_1") == waiting

    def test_a_second_worker_is_refused(self, deliveries: DeliveryRepository) -> None:
        deliveries.save(CLAIMED)
        with pytest.raises(StaleDeliveryError):
            deliveries.save(replace(CLAIMED, url="https://other.test/"))
        assert deliveries.get("evt_1") == CLAIMED

    def test_a_worker_whose_claim_was_taken_over_is_refused(self, deliveries: DeliveryRepository) -> None:
        deliveries.save(CLAIMED)
        deliveries.save(claimed(CLAIMED, NOW + 60_000))
        with pytest.raises(StaleDeliveryError):
            deliveries.save(after_attempt(CLAIMED, BAD, NOW)[0])

    @pytest.mark.parametrize("status", [DeliveryStatus.DELIVERED, DeliveryStatus.FAILED])
    def test_what_is_over_is_never_due_again(
        self, deliveries: DeliveryRepository, due: DueIndex, status: DeliveryStatus
    ) -> None:
        over = replace(CLAIMED, status=status, wake_at_ms=None, next_attempt_at_ms=None)
        deliveries.save(over)
        assert deliveries.get("evt_1") == over
        assert due.due(NOW + 10**10, 10) == []

    def test_one_that_is_gone_is_not_made(self, deliveries: DeliveryRepository) -> None:
        with pytest.raises(StaleDeliveryError):
            deliveries.save(replace(CLAIMED, delivery_id="evt_2"))
        assert deliveries.get("evt_2") is None


class TestOfAnAccount:
    def numbered(self, number: int, account_id: str = "usr_1") -> Delivery:
        return replace(
            NEW, delivery_id=f"evt_{number:02}", account_id=account_id, task_id=f"task_{number:02}"
        )

    def test_its_own_newest_first_and_before_where_one_stands(self, deliveries: DeliveryRepository) -> None:
        for number in range(10, 15):
            deliveries.add(self.numbered(number, "usr_2" if number == 12 else "usr_3"))
        assert deliveries.delivery_ids("usr_3", "evt_~", 10) == ["evt_14", "evt_13", "evt_11", "evt_10"]
        assert deliveries.delivery_ids("usr_3", "evt_14", 2) == ["evt_13", "evt_11"]
        assert deliveries.delivery_ids("usr_2", "evt_~", 10) == ["evt_12"]

    def test_several_at_once_as_far_as_they_are_there(self, deliveries: DeliveryRepository) -> None:
        deliveries.add(self.numbered(10))
        found = deliveries.get_all(["evt_10", "evt_99", "evt_1"])
        assert {one.delivery_id: one for one in found} == {"evt_10": self.numbered(10), "evt_1": NEW}
        assert deliveries.get_all([]) == []
