"""`functions/dispatch_changes` with the stream's own records."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dispatch_changes.app import handler
from local.machine.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import Worker, create, stream_records
from tollgate.accounts.service import OpenedAccount
from tollgate.kit.aws.queue import Queue

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/dispatch_changes.json").read_text())


class TestTheEventFile:
    def test_a_new_task_is_started_and_an_ended_one_is_told(self, aws: Aws) -> None:
        assert handler(EVENT, Context("DispatchChangesFunction")) == {"batchItemFailures": []}
        images = [record["dynamodb"]["NewImage"] for record in EVENT["Records"]]
        started, ended = (image["task_id"]["S"] for image in images)
        assert [json.loads(body) for body in aws.messages("TaskQueue")] == [{"task_id": started, "seq": 0}]
        delivery_id = "evt_" + ended.removeprefix("task_")
        assert [json.loads(body) for body in aws.messages("WebhookQueue")] == [
            {"delivery_id": delivery_id, "seq": 0}
        ]
        files = [file["M"]["url"]["S"] for file in images[1]["files"]["L"]]
        assert [json.loads(body) for body in aws.messages("ThumbnailQueue")] == [
            {"task_id": ended, "url": url} for url in files
        ]
        assert files


class TestRealRecords:
    def test_a_created_task_starts_its_chain(self, aws: Aws, customer: OpenedAccount, worker: Worker) -> None:
        task_id = create(customer)
        assert worker.dispatch(stream_records(aws)) == {"batchItemFailures": []}
        assert [json.loads(body) for body in aws.messages("TaskQueue")] == [{"task_id": task_id, "seq": 0}]

    def test_an_ended_task_without_a_webhook_sends_nothing(self, aws: Aws) -> None:
        event = deepcopy(EVENT)
        event["Records"] = event["Records"][1:]
        del event["Records"][0]["dynamodb"]["NewImage"]["webhook"]
        assert handler(event, Context("DispatchChangesFunction")) == {"batchItemFailures": []}
        assert aws.messages("WebhookQueue") == []

    def test_a_record_that_fails_is_reported_by_its_number(
        self, aws: Aws, customer: OpenedAccount, worker: Worker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        create(customer)
        broken = create(customer)
        sent = Queue.send

        def refuse(queue: Queue, message: dict[str, Any], delay_s: int = 0) -> None:
            if message["task_id"] == broken:
                raise ConnectionError("no queue")
            sent(queue, message, delay_s)

        monkeypatch.setattr(Queue, "send", refuse)
        records = stream_records(aws)
        number = records[1]["dynamodb"]["SequenceNumber"]
        assert worker.dispatch(records) == {"batchItemFailures": [{"itemIdentifier": number}]}
        assert len(aws.messages("TaskQueue")) == 1
