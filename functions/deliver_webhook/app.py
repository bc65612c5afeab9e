"""Trigger: the webhook queue, one message at a time.

`{delivery_id, seq}` names a delivery: it sends one signed attempt to one URL and records the result, or
defers the delivery while the account's lane is full. `{account_id, entries, attempt}` names requests that
ended: it creates their deliveries, and sends their spans. `{account_id, day}` names a complete day: it writes
its files into the bucket of the customer. Never follows a redirect, never calls a private
address, never sends for a running task.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.kit.aws.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, emit, logger


def deliver(record: Record) -> None:
    """Carry out one attempt. An exception returns the message to the queue."""
    message = message_of(record)
    if "entries" in message:
        begin_log(account_id=message["account_id"], attempt=message["attempt"])
        sent = deliver_webhook_parts.request_exporter().send(**message)
        logger.info(f"deliver_webhook.requests_{sent}")
        return
    if "day" in message:
        begin_log(account_id=message["account_id"], day=message["day"])
        logger.info(f"deliver_webhook.bucket_{deliver_webhook_parts.bucket_exporter().write(**message)}")
        return
    begin_log(**message)
    outcome = deliver_webhook_parts.webhook_sender().deliver(message["delivery_id"], message["seq"])
    logger.info(f"deliver_webhook.{outcome}")
    emit({f"Webhooks{outcome.capitalize()}": 1})


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of messages; return the failures in the format of Lambda."""
    return process_one_by_one(event, deliver)
