"""Messages to SQS, through a fake of its client."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.aws.queue import MAX_DELAY_S, Queue, SendError

URL = "https://sqs.test/1/queue"


class FakeSqs:
    """Keeps what it was sent; refuses the bodies in `refused`."""

    def __init__(self, refused: tuple[str, ...] = ()) -> None:
        self.refused = refused
        self.sent: list[dict[str, Any]] = []
        self.batches: list[list[dict[str, Any]]] = []

    def send_message(self, **request: Any) -> dict[str, Any]:
        self.sent.append(request)
        return {}

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        assert QueueUrl == URL
        self.batches.append(Entries)
        failed = [{"Id": entry["Id"]} for entry in Entries if entry["MessageBody"] in self.refused]
        return {"Failed": failed} if failed else {"Successful": []}


def queue_on(fake: FakeSqs) -> Queue:
    return Queue(cast("Any", fake), URL)


class TestSend:
    def test_the_message_goes_as_json_with_its_delay(self) -> None:
        fake = FakeSqs()
        queue_on(fake).send({"task_id": "task_1", "seq": 3}, delay_s=7)
        assert fake.sent == [
            {"QueueUrl": URL, "MessageBody": '{"task_id": "task_1", "seq": 3}', "DelaySeconds": 7}
        ]

    @pytest.mark.parametrize(("asked_s", "delay_s"), [(0, 0), (900, 900), (901, 900), (86_400, 900)])
    def test_the_delay_is_at_most_what_sqs_takes(self, asked_s: int, delay_s: int) -> None:
        fake = FakeSqs()
        queue_on(fake).send({}, asked_s)
        assert fake.sent[0]["DelaySeconds"] == delay_s <= MAX_DELAY_S


class TestSendAll:
    @given(st.integers(min_value=0, max_value=45))
    def test_every_message_goes_once_in_order_by_tens(self, count: int) -> None:
        fake = FakeSqs()
        queue_on(fake).send_all([{"n": n} for n in range(count)])
        bodies = [json.loads(entry["MessageBody"]) for batch in fake.batches for entry in batch]
        assert bodies == [{"n": n} for n in range(count)]
        assert all(1 <= len(batch) <= 10 for batch in fake.batches)
        assert len(fake.batches) == -(-count // 10)

    def test_ids_are_unique_within_a_batch(self) -> None:
        fake = FakeSqs()
        queue_on(fake).send_all([{}] * 10)
        assert len({entry["Id"] for entry in fake.batches[0]}) == 10

    @pytest.mark.parametrize("refused", [0, 9, 10, 11])
    def test_a_refused_message_is_an_error_though_the_call_succeeded(self, refused: int) -> None:
        fake = FakeSqs(refused=(json.dumps({"n": refused}),))
        with pytest.raises(SendError):
            queue_on(fake).send_all([{"n": n} for n in range(12)])
