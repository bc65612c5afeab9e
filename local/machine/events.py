"""Lambda's events for handlers, from the responses of the emulator. Pure."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

REMAINING_MS = 300_000
MEMORY_MB = 512


class Context(LambdaContext):
    """The attributes of Lambda's context object that the handlers use."""

    def __init__(self, function_name: str, memory_mb: int = MEMORY_MB) -> None:
        self._function_name = function_name
        self._memory_limit_in_mb = memory_mb
        self._aws_request_id = str(uuid.uuid4())
        self._invoked_function_arn = f"arn:aws:lambda:us-east-1:000000000000:function:{function_name}"

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        """Return the remaining time in milliseconds, which is constant because nothing ends a local call."""
        return REMAINING_MS


def sqs_event(messages: Sequence[Mapping[str, Any]], queue_arn: str, region: str) -> dict[str, Any]:
    """Return the event for messages in the format of SQS's ReceiveMessage."""
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message.get("Attributes", {}),
                "messageAttributes": {},
                "md5OfBody": message.get("MD5OfBody", ""),
                "eventSource": "aws:sqs",
                "eventSourceARN": queue_arn,
                "awsRegion": region,
            }
            for message in messages
        ]
    }


def stream_event(records: Sequence[Mapping[str, Any]], stream_arn: str) -> dict[str, Any]:
    """Return the event for records in the format of DynamoDB Streams' GetRecords."""
    return {"Records": [{**record, "eventSourceARN": stream_arn} for record in records]}


def matches(pattern: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Return whether an event filter accepts a record.

    Supports lists of literal values at any depth, as in the template. Raises `ValueError` for any other
    filter, because it could accept records that AWS would not.
    """
    for name, wanted in pattern.items():
        found = record.get(name)
        if isinstance(wanted, Mapping):
            if not isinstance(found, Mapping) or not matches(wanted, found):
                return False
        elif all(isinstance(value, str | int | bool) for value in wanted):
            if found not in wanted:
                return False
        else:
            raise ValueError(f"this filter is not known here: {name}: {wanted}")
    return True


def failed_ids(answer: Any) -> set[str]:
    """Return the item identifiers that a batch handler reported as failed."""
    failures = answer.get("batchItemFailures", []) if isinstance(answer, Mapping) else []
    return {failure["itemIdentifier"] for failure in failures}
