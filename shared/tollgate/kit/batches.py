"""Batches of records: each record succeeds or fails by itself. One by one by Powertools, or all at once."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from tollgate.kit.observability import logger

__all__ = ["EventType", "batch_processor", "process_at_once", "process_partial_response"]

# Messages of one invocation that are worked on at once: the largest batch of our queues.
MAX_AT_ONCE = 10


def batch_processor(kind: EventType) -> BatchProcessor:
    """Return a processor that logs what raises, and reports it record by record, also when all fail."""
    # Powertools' own Logger is what it wants, but for the annotation.
    return BatchProcessor(kind, raise_on_entire_batch_failure=False, logger=logger)  # type: ignore[arg-type]


def process_at_once(event: Mapping[str, Any], handle: Callable[[SQSRecord], None]) -> dict[str, Any]:
    """Hand the messages of a queue's batch to `handle`, all at once; return those that failed.

    For work that waits for others. `handle` runs in threads, so all that it shares must bear that: the SDK's
    clients and httpx's do, and log lines carry the ids of their own thread.
    """
    records = [SQSRecord(record) for record in event["Records"]]
    if len(records) == 1:
        failed = [_failed(handle, records[0])]
    else:
        with ThreadPoolExecutor(MAX_AT_ONCE) as pool:
            failed = list(pool.map(lambda record: _failed(handle, record), records))
    return {"batchItemFailures": [{"itemIdentifier": one} for one in failed if one is not None]}


def _failed(handle: Callable[[SQSRecord], None], record: SQSRecord) -> str | None:
    """Return the id of a message that could not be handled; it is logged, and comes again."""
    try:
        handle(record)
    except Exception:  # noqa: BLE001 - whatever it is, the message comes again
        logger.exception("record.failed", message_id=record.message_id)
        return record.message_id
    return None
