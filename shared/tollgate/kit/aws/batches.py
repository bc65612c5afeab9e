"""Batches of records, of which only the failed records come again.

The response names them (`ReportBatchItemFailures` of the event source):
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
Powertools has a processor for this. It also loads asyncio and the event classes of all services, which takes
a tenth of a cold start, so the thirty lines are here.
"""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tollgate.kit.observability import logger

Record = Mapping[str, Any]
"""A message of a queue or a change of a table, as Lambda hands it over."""

# Messages of one invocation that are worked on at once: the largest batch of our queues.
MAX_AT_ONCE = 10


class NotYetError(Exception):
    """The record's subject is not available now, for a known and temporary reason.

    This is no fault of the service.
    """


def process_one_by_one(event: Mapping[str, Any], handle: Callable[[Record], None]) -> dict[str, Any]:
    """Hand the records of a batch to `handle`, one after the other; return those that failed."""
    return _answer([_failed(handle, record) for record in event["Records"]])


def process_at_once(event: Mapping[str, Any], handle: Callable[[Record], None]) -> dict[str, Any]:
    """Hand the records of a batch to `handle`, all at once; return the failed records.

    For work that waits for other services. `handle` runs in threads, so everything it shares must be
    thread-safe. The SDK's clients and httpx's are, and log lines have the ids of their thread.
    """
    if len(event["Records"]) == 1:
        return process_one_by_one(event, handle)
    with ThreadPoolExecutor(MAX_AT_ONCE) as pool:
        return _answer(list(pool.map(lambda record: _failed(handle, record), event["Records"])))


def message_of(record: Record) -> dict[str, Any]:
    """Return the JSON object in a queue message of Tollgate."""
    found: dict[str, Any] = json.loads(record["body"])
    return found


def _failed(handle: Callable[[Record], None], record: Record) -> str | None:
    """Return the id of a record that could not be handled; it is logged, and comes again."""
    record_id: str = record["messageId"] if "messageId" in record else record["dynamodb"]["SequenceNumber"]
    try:
        handle(record)
    except NotYetError as exc:
        logger.warning("record.failed", record_id=record_id, reason=str(exc))
        return record_id
    except Exception:  # noqa: BLE001 - whatever it is, the record comes again
        logger.exception("record.failed", record_id=record_id)
        return record_id
    return None


def _answer(failed: list[str | None]) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": one} for one in failed if one is not None]}
