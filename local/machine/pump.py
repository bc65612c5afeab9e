"""Replaces Lambda's event sources and EventBridge: delivers streams, queues and schedules to handlers.

Batch sizes, filters, retries and failure destinations come from the template. A failed queue message returns
after its visibility timeout, and after `maxReceiveCount` receives the emulator moves it to the dead-letter
queue, like SQS. A chain of messages that repeatedly runs one function is stopped, like in Lambda, unless the
template allows it (`lineage.py`).
"""

import importlib
import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local.machine.clients import Clients
from local.machine.events import Context, failed_ids, matches, sqs_event, stream_event
from local.machine.lineage import MAX_INVOCATIONS, Lineage
from local.machine.stack import Stack
from local.template import named

Handler = Callable[[dict[str, Any], Any], Any]

MAX_LOCAL_CONCURRENCY = 16
"""Threads for one queue. The template allows more than one machine can run."""
LONG_POLL_S = 3
"""A message ends a poll at once. This limits how long Ctrl-C waits for a poll."""
SQS_BATCH = 10
FAULT_PAUSE_S = 1.0
READ_PAUSE_S = 0.05
"""Between reads of a stream. The emulator ends a read when a record is written (`ministack.py`)."""
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_UNIT_S = {"minute": 60, "hour": 3600, "day": 86_400}

log = logging.getLogger("local.machine.pump")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the template, with its handler imported."""

    name: str
    handler: Handler
    may_recur: bool

    def invoke(self, event: dict[str, Any]) -> Any:
        """Call the handler with an event and a context."""
        return self.handler(event, Context(self.name))


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard of a stream."""

    stream_arn: str
    shard_id: str

    def batch_info(self, records: Sequence[Any]) -> dict[str, Any]:
        """Return the description of a failed batch in Lambda's message."""
        numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
        return {
            "streamArn": self.stream_arn,
            "shardId": self.shard_id,
            "startSequenceNumber": numbers[0],
            "endSequenceNumber": numbers[-1],
            "batchSize": len(numbers),
        }


Source = Mapping[str, Any]
"""The properties of an event source mapping, or of a schedule."""
Run = Callable[[Source, Function], None]


class Pump:
    """Runs every event source of the template until it is stopped."""

    def __init__(self, stack: Stack, clients: Clients) -> None:
        self._stack = stack
        self._clients = clients
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._pools: list[ThreadPoolExecutor] = []

    def start(self) -> None:
        """Start a thread for each event source and each schedule."""
        mappings = self._stack.template.of_type("AWS::Lambda::EventSourceMapping").values()
        # An event source that is off by default is off here, too.
        rules = [
            each["Properties"]
            for each in self._stack.template.resources.values()
            if each["Type"] == "AWS::Events::Rule" and "Condition" not in each
        ]
        # Handlers are imported here, before any thread runs: imports in several at once can fail.
        sources = [(mapping, self._function(mapping["FunctionName"])) for mapping in mappings]
        schedules = [(rule, self._function(rule["Targets"][0]["Arn"])) for rule in rules]
        for mapping, function in sources:
            run = self._run_queue if "ScalingConfig" in mapping else self._run_stream
            self._spawn(run, mapping, function)
        for rule, function in schedules:
            self._spawn(self._run_schedule, rule, function)

    def stop(self) -> None:
        """Stop taking events, and wait for the handlers that run."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        for pool in self._pools:
            pool.shutdown(wait=True)

    def _spawn(self, run: Run, source: Source, function: Function) -> None:
        thread = threading.Thread(target=self._run, args=(run, source, function), daemon=True)
        thread.start()
        self._threads.append(thread)

    @staticmethod
    def _run(run: Run, source: Source, function: Function) -> None:
        """Run an event source.

        If it fails, the process ends, because a partial service is worse than none.
        """
        try:
            run(source, function)
        except Exception:
            log.exception("the event source of %s failed", function.name)
            # `sys.exit` would only end this thread, and `make run` would continue without this event source.
            os._exit(1)

    def _function(self, reference: Any) -> Function:
        logical_id = named(reference)
        properties = self._stack.template.functions()[logical_id]
        module, _, attribute = properties["Handler"].rpartition(".")
        handler = getattr(importlib.import_module(module), attribute)
        return Function(logical_id, handler, may_recur=properties.get("RecursiveLoop") == "Allow")

    # Queues

    def _run_queue(self, mapping: Source, function: Function) -> None:
        queue = named(mapping["EventSourceArn"])
        most = int(self._stack.resolve(mapping["ScalingConfig"]["MaximumConcurrency"]))
        workers = min(most, MAX_LOCAL_CONCURRENCY)
        pool = ThreadPoolExecutor(workers)
        self._pools.append(pool)
        free = threading.Semaphore(workers)
        while not self._stopping.is_set():
            for batch in self._receive(queue, mapping["BatchSize"]):
                # Before the next receive: at most one response waits here for a worker, while the visibility
                # of its messages runs out.
                free.acquire()
                job = pool.submit(self._handle_messages, function, queue, batch)
                job.add_done_callback(lambda _: free.release())

    def _receive(self, queue: str, batch_size: int) -> Iterator[list[dict[str, Any]]]:
        try:
            answer = self._clients.sqs.receive_message(
                QueueUrl=self._stack.refs[queue],
                MaxNumberOfMessages=SQS_BATCH,
                WaitTimeSeconds=LONG_POLL_S,
                AttributeNames=["All"],
            )
        except Exception:
            log.exception("cannot read %s", queue)
            self._stopping.wait(FAULT_PAUSE_S)
            return
        messages: list[Any] = answer.get("Messages", [])
        for first in range(0, len(messages), batch_size):
            yield messages[first : first + batch_size]

    def _handle_messages(self, function: Function, queue: str, messages: Sequence[dict[str, Any]]) -> None:
        arn = self._stack.attributes[f"{queue}.Arn"]
        lineage = Lineage(messages)
        if lineage.invocations(function.name) >= MAX_INVOCATIONS and not function.may_recur:
            self._refuse(function, queue, messages)
            return
        try:
            with lineage.extended(function.name):
                answer = function.invoke(sqs_event(messages, arn, self._clients.sqs.meta.region_name))
        except Exception:
            log.exception("%s failed", function.name)
            return  # the messages come back
        failed = failed_ids(answer)
        # A message that is not deleted returns after the queue's visibility timeout, as with Lambda.
        for message in messages:
            if message["MessageId"] not in failed:
                self._clients.sqs.delete_message(
                    QueueUrl=self._stack.refs[queue], ReceiptHandle=message["ReceiptHandle"]
                )

    def _refuse(self, function: Function, queue: str, messages: Sequence[dict[str, Any]]) -> None:
        """Return messages to their queue. After `maxReceiveCount` receives they become dead letters."""
        log.error("%s ran %d times in one chain: RecursiveLoop is not Allow", function.name, MAX_INVOCATIONS)
        for message in messages:
            # At once: Lambda waits for the visibility timeout, but the outcome is the same.
            self._clients.sqs.change_message_visibility(
                QueueUrl=self._stack.refs[queue], ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
            )

    # Streams

    def _run_stream(self, mapping: Source, function: Function) -> None:
        stream_arn = self._stack.resolve(mapping["EventSourceArn"])
        # The emulator never closes a stream's one shard.
        described = self._clients.streams.describe_stream(StreamArn=stream_arn)["StreamDescription"]
        shard = Shard(stream_arn, described["Shards"][0]["ShardId"])
        patterns = [json.loads(each["Pattern"]) for each in mapping["FilterCriteria"]["Filters"]]
        for records in self._records(shard, mapping["BatchSize"]):
            wanted = [record for record in records if any(matches(one, record) for one in patterns)]
            if wanted:
                self._handle_records(function, mapping, wanted, shard)

    def _records(self, shard: Shard, batch_size: int) -> Iterator[list[Any]]:
        """Read a shard from its beginning. Restart from there if the stream was missing.

        Records then arrive again, which Lambda also allows.
        """
        iterator: str | None = None
        while not self._stopping.is_set():
            try:
                iterator = iterator or self._beginning(shard)
                answer = self._clients.streams.get_records(ShardIterator=iterator, Limit=batch_size)
            except (BotoCoreError, ClientError):
                log.exception("cannot read %s", shard.stream_arn)
                iterator = None
                self._stopping.wait(FAULT_PAUSE_S)
                continue
            iterator = answer.get("NextShardIterator")
            if answer["Records"]:
                yield list(answer["Records"])
            else:
                self._stopping.wait(READ_PAUSE_S)

    def _beginning(self, shard: Shard) -> str:
        return self._clients.streams.get_shard_iterator(
            StreamArn=shard.stream_arn, ShardId=shard.shard_id, ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]

    def _handle_records(
        self, function: Function, mapping: Mapping[str, Any], records: Sequence[Any], shard: Shard
    ) -> None:
        """Deliver a batch until it is done. Records that fail each attempt are sent to the destination."""
        left = list(records)
        for _ in range(mapping["MaximumRetryAttempts"] + 1):
            try:
                failed = failed_ids(function.invoke(stream_event(left, shard.stream_arn)))
            except Exception:
                log.exception("%s failed", function.name)
                failed = {record["dynamodb"]["SequenceNumber"] for record in left}
            # Lambda continues with the first record that failed.
            numbers = [record["dynamodb"]["SequenceNumber"] for record in left]
            first = next((n for n, number in enumerate(numbers) if number in failed), None)
            if first is None:
                return
            left = left[first:]
            self._stopping.wait(FAULT_PAUSE_S)
        destination = named(mapping["DestinationConfig"]["OnFailure"]["Destination"])
        lost = json.dumps({"DDBStreamBatchInfo": shard.batch_info(left)})
        self._clients.sqs.send_message(QueueUrl=self._stack.refs[destination], MessageBody=lost)

    # Schedules

    def _run_schedule(self, rule: Source, function: Function) -> None:
        found = _RATE.fullmatch(rule["ScheduleExpression"])
        if found is None:
            raise ValueError(f"this schedule is not known here: {rule['ScheduleExpression']}")
        every_s = int(found[1]) * _UNIT_S[found[2]]
        while not self._stopping.wait(every_s):
            # A rule's input replaces the event, like in EventBridge.
            given = rule["Targets"][0].get("Input")
            event = {"source": "aws.events", "detail-type": "Scheduled Event", "time": time.time()}
            try:
                function.invoke(event if given is None else json.loads(given))
            except Exception:
                log.exception("%s failed", function.name)
