"""Trigger: the webhook queue, one message `{delivery_id, seq}` at a time.

Makes one signed attempt at one URL and notes what came of it. Defers it while the account's lane is full.
Never follows a redirect, never calls an address that is not public, never sends for a task that runs.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.kit.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, emit, logger


def deliver(record: Record) -> None:
    """Make one attempt; what raises is reported and comes again."""
    message = message_of(record)
    begin_log(**message)
    outcome = deliver_webhook_parts.webhook_sender().deliver(message["delivery_id"], message["seq"])
    logger.info(f"deliver_webhook.{outcome}")
    emit({f"Webhooks{outcome.capitalize()}": 1})


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Handle a batch of messages; return the ones that failed."""
    return process_one_by_one(event, deliver)
