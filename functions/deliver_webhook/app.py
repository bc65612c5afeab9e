"""Trigger: the webhook queue, one message `{delivery_id, seq}` at a time.

Makes one signed attempt at one URL and notes what came of it. Defers it while the account's lane is full.
Never follows a redirect, never calls an address that is not public, never sends for a task that runs.
"""

import json
from typing import Any

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.kit.batches import EventType, batch_processor, process_partial_response
from tollgate.kit.observability import begin_log, emit, logger

processor = batch_processor(EventType.SQS)


def deliver(record: SQSRecord) -> None:
    """Make one attempt; what raises is reported and comes again."""
    message = json.loads(record.body)
    begin_log(**message)
    outcome = deliver_webhook_parts.webhook_sender().deliver(message["delivery_id"], message["seq"])
    logger.info(f"deliver_webhook.{outcome}")
    emit({f"Webhooks{outcome.capitalize()}": 1})


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Handle a batch of messages; give the ones that failed."""
    return process_partial_response(event, deliver, processor, context)
