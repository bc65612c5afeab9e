"""The parts that requests are made of: one invocation of one function each, measured on the emulator."""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import httpx

from local.machine.events import Context, sqs_event, stream_event
from local.machine.stack import Stack
from local.template import ROOT
from tests.bench.cost.meter import Meter
from tests.bench.cost.thumbnails import drawing
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.aws.json_protocol import AwsJson
from tollgate.webhooks.models import delivery_id_of

RUNS = 20
SLOW_S = 15
"""How long the simulator makes an image: long enough for all polls to come before its end."""
STREAMED_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Part:
    """What one invocation of a function takes, on average of the runs; `cpu_s` on this machine."""

    function: str
    cpu_s: float
    calls: dict[str, float]
    write_units: float
    read_units: float
    log_bytes: float


@dataclass
class Bench:
    """Invokes functions of a stack in this process, and notes what each takes."""

    stack: Stack
    meter: Meter
    account: OpenedAccount
    receiver: str

    def parts(self) -> dict[str, Part]:
        """Return all parts by name."""
        runs = list(range(-2, RUNS))  # two to warm up
        tasks = {n: self._create(n) for n in runs}
        found = {"create": self._measured("ApiFunction", runs, lambda n: self._create(100 + n))}
        found["status"] = self._measured("GetStatusFunction", runs, lambda n: self._status(tasks[n]))
        starts, ends = self._changes("INSERT"), self._changes("MODIFY")
        found["dispatch"] = self._dispatched(starts[: len(runs)])
        found["submit"] = self._measured("RunTaskFunction", runs, lambda n: self._step(tasks[n]))
        found["poll"] = self._measured("RunTaskFunction", runs, lambda n: self._step(tasks[n]))
        if any("finished_at_ms" in self._row(task_id) for task_id in tasks.values()):
            # What was measured is then an end, and the tables would say that polls cost as much.
            raise SystemExit("This machine is too busy: images were made before they were polled.")
        time.sleep(SLOW_S)
        found["finish"] = self._measured("RunTaskFunction", runs, lambda n: self._step(tasks[n]))
        ends = self._changes("MODIFY")[len(ends) :]
        found["dispatch end"] = self._dispatched(ends[: len(runs)])
        found |= self._thumbnails(runs, tasks)
        found["deliver"] = self._measured("DeliverWebhookFunction", runs, lambda n: self._deliver(tasks[n]))
        entries = self._changes("INSERT", "LedgerTable")[: len(runs)]
        found["count usage"] = self._measured("RecordUsageFunction", runs, self._recorded(entries))
        return found | self.text_parts()

    def text_parts(self) -> dict[str, Part]:
        """Return the parts of a chat alone."""
        runs = list(range(-2, RUNS))
        found = {"chat": self._chat(runs)}
        entries = self._changes("INSERT", "LedgerTable")[-len(runs) :]
        found["count chat"] = self._measured("RecordUsageFunction", runs, self._recorded(entries))
        return found

    def timer_parts(self) -> dict[str, Part]:
        """Return what each timer takes while there is nothing to do, by its function."""
        from check_ledger.app import handler as check  # noqa: PLC0415 - with the environment set
        from close_accounts.app import handler as close  # noqa: PLC0415 - as above
        from notify_members.app import handler as notify  # noqa: PLC0415 - as above
        from sweep.app import handler as sweep  # noqa: PLC0415 - as above

        timers: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
            "SweepFunction": (sweep, {}),
            "CheckLedgerFunction": (check, {}),
            "CloseAccountsFunction": (close, {}),
            "NotifyMembersFunction": (notify, {}),
        }
        runs = list(range(-2, RUNS))
        return {
            function: self._measured(function, runs, partial(self._fired, handler, event))
            for function, (handler, event) in timers.items()
        }

    @staticmethod
    def _fired(handler: Callable[..., Any], event: dict[str, Any], _: int) -> None:
        handler(event, Context("bench"))

    def _thumbnails(self, runs: list[int], tasks: Mapping[int, str]) -> dict[str, Part]:
        """Measure a thumbnail, as if it were drawn at once, and the drawing by itself."""
        from make_thumbnails.app import handler  # noqa: PLC0415 - as above

        drawn = drawing()
        with patch.object(sdk, "lambda_for_thumbnails", lambda: drawn):
            made = self._measured(
                "MakeThumbnailsFunction", runs, lambda n: self._message(handler, self._stored(tasks[n]))
            )
        # Its one line of the log is that of `make_thumbnails`, within some bytes.
        draw = Part("DrawThumbnailFunction", drawn.cpu_s, {}, 0.0, 0.0, made.log_bytes)
        return {"thumbnail": made, "draw": draw}

    def _stored(self, task_id: str) -> dict[str, Any]:
        """Return the message that asks for the thumbnail of a task's first file."""
        return {"task_id": task_id, "url": self._row(task_id)["files"]["L"][0]["M"]["url"]["S"]}

    def _row(self, task_id: str) -> dict[str, Any]:
        found = self.meter.clients.dynamodb.get_item(
            TableName=self.stack.refs["TasksTable"], Key={"task_id": {"S": task_id}}
        )
        return dict(found["Item"])

    def _measured(self, function: str, runs: list[int], run: Callable[[int], Any]) -> Part:
        """Measure a function's runs, those with a number below 0 to warm up."""
        for number in runs:
            if number < 0:
                run(number)
        with self._noted(function) as note:
            for number in runs:
                if number >= 0:
                    run(number)
        return note()

    @contextmanager
    def _noted(self, function: str) -> Iterator[Callable[[], Part]]:
        meter, found = self.meter, list[Part]()
        meter.calls, meter.write_units, meter.read_units, meter.overhead_s = Counter(), 0, 0.0, 0.0
        with _written() as log_bytes:
            started = time.process_time()
            yield lambda: found[0]
            cpu_s = time.process_time() - started - meter.overhead_s
        calls = {name: count / RUNS for name, count in meter.calls.items()}
        units = meter.write_units / RUNS, meter.read_units / RUNS
        found.append(Part(function, cpu_s / RUNS, calls, *units, log_bytes() / RUNS))

    def _api(self, method: str, path: str, body: Any = None) -> Any:
        from api.app import handler  # noqa: PLC0415 - with the environment set
        from get_status.app import handler as status  # noqa: PLC0415 - as above

        event = json.loads((ROOT / "events/api.json").read_text())
        key = {"Authorization": f"Bearer {self.account.api_key}", "Content-Type": "application/json"}
        event |= {
            "httpMethod": method,
            "path": path,
            "headers": key,
            "multiValueHeaders": {name: [value] for name, value in key.items()},
            "body": None if body is None else json.dumps(body),
        }
        answer = (status if "/task/status/" in path else handler)(event, Context("ApiFunction"))  # type: ignore[arg-type]
        assert answer["statusCode"] == 200, answer
        return json.loads(answer["body"])["data"]

    def _create(self, number: int) -> str:
        prompt = f"a lighthouse at dusk, oil on canvas, number {number} [[slow {SLOW_S}]]"
        body = {"model": PAID_IMAGE, "input": {"prompt": prompt, "size": "1:1"}, "webhook": self.receiver}
        return str(self._api("POST", "/api/v1/generation/create", body)["taskId"])

    def _status(self, task_id: str) -> None:
        self._api("GET", f"/api/v1/task/status/{task_id}")

    def _step(self, task_id: str) -> None:
        from run_task.app import handler  # noqa: PLC0415 - as above

        self._message(handler, {"task_id": task_id, "seq": int(self._row(task_id)["seq"]["N"])})

    def _deliver(self, task_id: str) -> None:
        from deliver_webhook.app import handler  # noqa: PLC0415 - as above

        self._message(handler, {"delivery_id": delivery_id_of(task_id), "seq": 0})

    @staticmethod
    def _message(handler: Callable[..., Any], body: dict[str, Any]) -> None:
        message = {"MessageId": "m", "ReceiptHandle": "r", "Body": json.dumps(body)}
        answer = handler(sqs_event([message], "arn:aws:sqs:::q", "us-east-1"), Context("bench"))
        assert answer == {"batchItemFailures": []}

    def _dispatched(self, records: list[Any]) -> Part:
        from dispatch_changes.app import handler  # noqa: PLC0415 - as above

        runs = list(range(-2, RUNS))
        return self._measured(
            "DispatchChangesFunction",
            runs,
            lambda n: handler(stream_event([records[n + 2]], "arn:stream"), Context("bench")),
        )

    @staticmethod
    def _recorded(records: list[Any]) -> Callable[[int], Any]:
        from record_usage.app import handler  # noqa: PLC0415 - as above

        return lambda n: handler(stream_event([records[n + 2]], "arn:stream"), Context("bench"))

    def _changes(self, kind: str, table: str = "TasksTable") -> list[Any]:
        """Return the records of a table's stream: rows that came, or tasks that ended."""
        streams, arn = self.meter.clients.streams, self.stack.attributes[f"{table}.StreamArn"]
        found: list[Any] = []
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            found += streams.get_records(ShardIterator=iterator)["Records"]
        if kind == "MODIFY":
            found = [one for one in found if "finished_at_ms" in one["dynamodb"]["NewImage"]]
        # As the template filters the ledger's: a credit is no usage.
        credit = {"S": "credit"}
        found = [one for one in found if one["dynamodb"]["NewImage"].get("kind") != credit]
        return [one for one in found if one["eventName"] == kind]

    def _chat(self, runs: list[int]) -> Part:
        """Measure streamed chats, in one loop as in one process."""
        from text.app import app  # noqa: PLC0415 - as above

        inner, meter = AwsJson.call, self.meter

        async def call(
            client: AwsJson, operation: str, request: dict[str, Any]
        ) -> tuple[int, dict[str, Any]]:
            if client.service != "dynamodb":
                return await inner(client, operation, request)
            before = meter.before(operation, request)
            status, answer = await inner(client, operation, request)
            meter.after(operation, request, answer, before)
            return status, answer

        prompt = f"Tell me about the sea. [[tokens {STREAMED_TOKENS}]]"
        body = {"model": "gpt-5.4-mini", "stream": True, "messages": [{"role": "user", "content": prompt}]}

        async def chat(http: httpx.AsyncClient) -> None:
            answer = await http.post("/api/v1/chat/completions", json=body)
            assert answer.text.rstrip().endswith("[DONE]"), answer.text

        async def chats() -> Part:
            headers = {"authorization": f"Bearer {self.account.api_key}"}
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://text", headers=headers
            ) as http:
                for _ in range(2):
                    await chat(http)
                with self._noted("TextFunction") as note:
                    for _ in range(RUNS):
                        await chat(http)
            await text_parts.close()
            return note()

        from tollgate.composition import text as text_parts  # noqa: PLC0415 - as above

        AwsJson.call = call  # type: ignore[method-assign, assignment]
        try:
            return asyncio.run(chats())
        finally:
            AwsJson.call = inner  # type: ignore[method-assign]


@contextmanager
def _written() -> Iterator[Callable[[], int]]:
    """Count the bytes that go to standard output: what CloudWatch takes in."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 1)
        size: list[int] = []
        try:
            yield lambda: size[0] if size else _flushed(log.fileno())
        finally:
            size.append(_flushed(log.fileno()))
            os.dup2(kept, 1)
            os.close(kept)


def _flushed(file: int) -> int:
    sys.stdout.flush()
    return os.fstat(file).st_size


def metered_clients(meter: Meter) -> None:
    """Have the SDK clients of this process counted."""
    parts.forget()
    for make in (sdk.dynamodb, sdk.sqs, sdk.s3):
        meter.register(make())
