"""Deliveries in DynamoDB (moto): each try belongs to one worker."""

from collections.abc import Iterator
from dataclasses import replace

import boto3
import pytest
from moto import mock_aws

from tollgate.kit.dynamodb import Database
from tollgate.webhooks.models import Delivery, DeliveryStatus, delivery_id_of
from tollgate.webhooks.repository import DeliveryMovedError, DeliveryRepository

NOW = 1_700_000_000_000
NEW = Delivery("evt_1", "usr_1", "task_1", "https://receiver.test/hook", NOW, wake_at_ms=NOW + 60_000)
TRIED = replace(NEW, attempt=1, wake_at_ms=NOW + 70_000, last_result="HTTP 500")


@pytest.fixture
def deliveries() -> Iterator[DeliveryRepository]:
    with mock_aws():
        client = boto3.client("dynamodb", region_name="us-east-1")
        client.create_table(
            TableName="Deliveries",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "delivery_id", "AttributeType": "S"},
                {"AttributeName": "due_shard", "AttributeType": "S"},
                {"AttributeName": "wake_at", "AttributeType": "N"},
            ],
            KeySchema=[{"AttributeName": "delivery_id", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "DueIndex",
                    "KeySchema": [
                        {"AttributeName": "due_shard", "KeyType": "HASH"},
                        {"AttributeName": "wake_at", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        database = Database(client, sleep=lambda _: None)
        repository = DeliveryRepository(database, "Deliveries")
        database.transact([repository.enqueue(NEW)])
        yield repository


class TestEnqueue:
    def test_the_delivery_is_there_and_due_in_time(self, deliveries: DeliveryRepository) -> None:
        assert deliveries.get("evt_1") == NEW
        assert deliveries.due(NOW + 59_999, 10) == []
        assert deliveries.due(NOW + 60_000, 10) == [("evt_1", 0)]

    def test_one_event_is_one_delivery(self) -> None:
        assert delivery_id_of("task_01J") == delivery_id_of("task_01J") == "evt_01J"
        refused = DeliveryRepository(None, "Deliveries").enqueue(NEW).refused  # type: ignore[arg-type]
        assert isinstance(refused(None), DeliveryMovedError)

    def test_an_unknown_one_is_none(self, deliveries: DeliveryRepository) -> None:
        assert deliveries.get("evt_2") is None


class TestClaim:
    def test_it_is_written_before_the_try_is_made(self, deliveries: DeliveryRepository) -> None:
        deliveries.claim(TRIED)
        assert deliveries.get("evt_1") == TRIED

    def test_a_second_worker_is_refused(self, deliveries: DeliveryRepository) -> None:
        deliveries.claim(TRIED)
        with pytest.raises(DeliveryMovedError):
            deliveries.claim(TRIED)

    def test_a_delivery_that_is_over_cannot_be_claimed(self, deliveries: DeliveryRepository) -> None:
        deliveries.claim(TRIED)
        deliveries.record(replace(TRIED, status=DeliveryStatus.DELIVERED, wake_at_ms=None))
        with pytest.raises(DeliveryMovedError):
            deliveries.claim(replace(TRIED, attempt=2))


class TestRecord:
    @pytest.mark.parametrize("status", [DeliveryStatus.DELIVERED, DeliveryStatus.EXHAUSTED])
    def test_what_is_over_is_never_due_again(
        self, deliveries: DeliveryRepository, status: DeliveryStatus
    ) -> None:
        deliveries.claim(TRIED)
        over = replace(TRIED, status=status, wake_at_ms=None)
        deliveries.record(over)
        assert deliveries.get("evt_1") == over
        assert deliveries.due(NOW + 10**10, 10) == []

    def test_a_worker_whose_claim_was_taken_over_is_refused(self, deliveries: DeliveryRepository) -> None:
        deliveries.claim(TRIED)
        deliveries.claim(replace(TRIED, attempt=2))
        with pytest.raises(DeliveryMovedError):
            deliveries.record(TRIED)


class TestPostpone:
    def test_a_due_delivery_is_due_later(self, deliveries: DeliveryRepository) -> None:
        deliveries.postpone("evt_1", 0, NOW + 200_000)
        assert deliveries.due(NOW + 199_999, 10) == []
        assert deliveries.due(NOW + 200_000, 10) == [("evt_1", 0)]

    def test_one_that_moved_meanwhile_is_left_alone(self, deliveries: DeliveryRepository) -> None:
        deliveries.claim(TRIED)
        with pytest.raises(DeliveryMovedError):
            deliveries.postpone("evt_1", 0, NOW + 200_000)
        assert deliveries.get("evt_1") == TRIED

    def test_one_that_is_gone_is_not_made(self, deliveries: DeliveryRepository) -> None:
        with pytest.raises(DeliveryMovedError):
            deliveries.postpone("evt_2", 0, NOW)
        assert deliveries.get("evt_2") is None
