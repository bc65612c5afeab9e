"""Batches: what failed comes again, and no other."""

import json
import threading
from typing import Any

import pytest
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from local.machine.events import sqs_event
from tollgate.kit.aws.batches import (
    MAX_AT_ONCE,
    NotYetError,
    Record,
    message_of,
    process_at_once,
    process_one_by_one,
)
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

    def wait(_: Record) -> None:
        together.wait()

    answer = process_at_once(event(MAX_AT_ONCE), wait)
    assert answer == {"batchItemFailures": []}
    assert not together.broken


@pytest.mark.parametrize("count", [1, 2, MAX_AT_ONCE])
def test_those_that_raise_come_again_and_no_others(count: int) -> None:
    def fail_the_last(record: Record) -> None:
        if message_of(record)["n"] == count - 1:
            raise ValueError

    answer = process_at_once(event(count), fail_the_last)
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"m{count - 1}"}]}


def test_all_may_fail() -> None:
    def fail(_: Record) -> None:
        raise ValueError

    assert len(process_at_once(event(3), fail)["batchItemFailures"]) == 3


def test_the_lines_of_one_carry_no_ids_of_another() -> None:
    together = threading.Barrier(MAX_AT_ONCE, timeout=PATIENCE_S)
    found: dict[str, str | None] = {}

    def handle(record: Record) -> None:
        begin_log()
        add_to_log(correlation_id=record["messageId"])
        together.wait()
        found[record["messageId"]] = correlation_id()

    process_at_once(event(MAX_AT_ONCE), handle)
    assert found == {f"m{n}": f"m{n}" for n in range(MAX_AT_ONCE)}


class TestOneByOne:
    def test_each_is_handled_in_its_turn_whatever_became_of_the_one_before(self) -> None:
        seen: list[int] = []

        def fail_the_first(record: Record) -> None:
            seen.append(message_of(record)["n"])
            if len(seen) == 1:
                raise ValueError

        answer = process_one_by_one(event(3), fail_the_first)
        assert seen == [0, 1, 2]
        assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}]}

    def test_a_change_of_a_table_is_named_by_its_sequence_number(self) -> None:
        def fail(_: Record) -> None:
            raise ValueError

        change = {"eventID": "e1", "dynamodb": {"SequenceNumber": "4421584500000000017450439091"}}
        answer = process_one_by_one({"Records": [change]}, fail)
        assert answer == {"batchItemFailures": [{"itemIdentifier": "4421584500000000017450439091"}]}

    def test_what_failed_is_logged_with_its_id_and_cause(self, caplog: pytest.LogCaptureFixture) -> None:
        def fail(_: Record) -> None:
            raise ValueError("no such task")

        process_one_by_one(event(1), fail)
        (line,) = caplog.records
        assert (line.message, vars(line)["record_id"]) == ("record.failed", "m0")
        assert line.exc_info is not None
        assert str(line.exc_info[1]) == "no such task"

    def test_what_cannot_be_had_now_comes_again_and_is_no_error(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        def wait(_: Record) -> None:
            raise NotYetError("nobody answers")

        assert process_one_by_one(event(1), wait) == {"batchItemFailures": [{"itemIdentifier": "m0"}]}
        (line,) = caplog.records
        assert (line.levelname, line.message) == ("WARNING", "record.failed")
        assert vars(line)["reason"] == "nobody answers"


def test_powertools_own_processor_answers_the_same() -> None:
    def fail_the_odd(record: Any) -> None:
        body = record["body"] if isinstance(record, dict) else record.body
        if json.loads(body)["n"] % 2:
            raise ValueError

    theirs = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    expected = process_partial_response(event(5), fail_the_odd, theirs)
    assert process_one_by_one(event(5), fail_the_odd) == process_at_once(event(5), fail_the_odd) == expected
