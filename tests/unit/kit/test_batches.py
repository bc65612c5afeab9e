"""Batches whose messages are worked on at once."""

import json
import threading
from typing import Any

import pytest
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from local.events import sqs_event
from tollgate.kit.batches import MAX_AT_ONCE, process_at_once
from tollgate.kit.observability import add_to_log, begin_log, correlation_id

PATIENCE_S = 20


def event(count: int) -> dict[str, Any]:
    messages = [
        {"MessageId": f"m{n}", "ReceiptHandle": "r", "Body": json.dumps({"n": n})} for n in range(count)
    ]
    return sqs_event(messages, "arn:aws:sqs:us-east-1:1:Queue", "us-east-1")


def test_a_whole_batch_waits_together() -> None:
    # Each waits until all are there: one after the other they would wait for ever.
    together = threading.Barrier(MAX_AT_ONCE, timeout=PATIENCE_S)

    def wait(_: SQSRecord) -> None:
        together.wait()

    answer = process_at_once(event(MAX_AT_ONCE), wait)
    assert answer == {"batchItemFailures": []}
    assert not together.broken


@pytest.mark.parametrize("count", [1, 2, MAX_AT_ONCE])
def test_those_that_raise_come_again_and_no_others(count: int) -> None:
    def fail_the_last(record: SQSRecord) -> None:
        if json.loads(record.body)["n"] == count - 1:
            raise ValueError

    answer = process_at_once(event(count), fail_the_last)
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"m{count - 1}"}]}


def test_all_may_fail() -> None:
    def fail(_: SQSRecord) -> None:
        raise ValueError

    assert len(process_at_once(event(3), fail)["batchItemFailures"]) == 3


def test_the_lines_of_one_carry_no_ids_of_another() -> None:
    together = threading.Barrier(MAX_AT_ONCE, timeout=PATIENCE_S)
    found: dict[str, str | None] = {}

    def handle(record: SQSRecord) -> None:
        begin_log()
        add_to_log(correlation_id=record.message_id)
        together.wait()
        found[record.message_id] = correlation_id()

    process_at_once(event(MAX_AT_ONCE), handle)
    assert found == {f"m{n}": f"m{n}" for n in range(MAX_AT_ONCE)}
