"""`functions/record_usage` with the ledger's own records."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from local.machine.events import Context, matches, stream_event
from local.template import ROOT
from record_usage.app import handler
from tests.conftest import Aws
from tests.functional.conftest import create, stream_records, with_prompt
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.usage.repository import RollUp

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/record_usage.json").read_text())


def record(records: Iterable[Any]) -> Any:
    """Hand records to the handler."""
    return handler(stream_event(list(records), "arn:aws:dynamodb:stream"), Context("RecordUsageFunction"))


def counted_records(aws: Aws) -> list[Any]:
    """Return the records of the Ledger stream that the template's filter lets through."""
    mappings = aws.stack.template.of_type("AWS::Lambda::EventSourceMapping")
    (pattern,) = mappings["RecordUsageSource"]["FilterCriteria"]["Filters"]
    wanted = json.loads(pattern["Pattern"])
    return [one for one in stream_records(aws, "LedgerTable") if matches(wanted, one)]


def total(account_id: str) -> Any:
    """Return the account's sums of a year."""
    query = {"range": "custom", "from": "2023-06-01", "to": "2024-05-31"}
    return api_parts.api().statistics.of(account_id, query)["total"]


class TestTheEventFile:
    def test_a_charge_and_a_text_request_are_counted(self, aws: Aws) -> None:
        assert handler(EVENT, Context("RecordUsageFunction")) == {"batchItemFailures": []}
        account_id = from_attributes(EVENT["Records"][0]["dynamodb"]["NewImage"])["account_id"]
        query = {"range": "custom", "from": "2026-11-20", "to": "2026-11-20"}
        assert api_parts.api().statistics.of(account_id, query)["total"] == {
            "spentCents": 2,
            "spentMicroUsd": 10_063,
            "refundedCents": 0,
            "refundedMicroUsd": 0,
            "requests": 1,
            "tasks": 1,
            "inputTokens": 11,
            "outputTokens": 12,
        }


class TestRealRecords:
    def test_a_credit_is_not_usage(self, aws: Aws, customer: OpenedAccount) -> None:
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        assert not any(total(customer.account_id).values())

    def test_repeated_split_and_turned_round_they_count_once(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        run_to_end(create(customer), clock)
        run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        records = counted_records(aws)
        # With the credit that the account began with.
        assert len(records) == 4
        for batch in (records[1:], records, records[:1], reversed(records)):
            assert record(batch) == {"batchItemFailures": []}
        sums = total(customer.account_id)
        assert (sums["tasks"], sums["spentCents"], sums["refundedCents"]) == (2, 2, 1)

    def test_what_could_not_be_counted_is_reported_and_comes_again(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        create(customer)
        records = counted_records(aws)
        with monkeypatch.context() as broken:
            broken.setattr(RollUp, "count", _no_table)
            failed = [{"itemIdentifier": one["dynamodb"]["SequenceNumber"]} for one in records]
            assert record(records) == {"batchItemFailures": failed}
        assert total(customer.account_id)["tasks"] == 0
        assert record(records) == {"batchItemFailures": []}
        assert total(customer.account_id)["tasks"] == 1


def _no_table(*_: Any) -> None:
    raise ConnectionError("no table")
