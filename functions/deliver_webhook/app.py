"""Trigger: the webhook queue, one message `{delivery_id, attempt}` at a time.

Makes one signed try at one URL and notes what came of it.
Never follows a redirect, never calls an address that is not public, never sends for a task that runs.
"""

import json
from typing import Any

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate import bootstrap
from tollgate.kit.batches import EventType, batch_processor, process_partial_response
from tollgate.kit.observability import (
    MetricUnit,
    emit_metrics,
    logger,
    metrics,
)

processor = batch_processor(EventType.SQS)


def deliver(record: SQSRecord) -> None:
    """Make one try; what raises is reported and comes again."""
    message = json.loads(record.body)
    outcome = bootstrap.webhooks().deliver(message["delivery_id"], message["attempt"])
    logger.info(f"deliver_webhook.{outcome}", **message)
    metrics.add_metric(f"Webhooks{outcome.capitalize()}", MetricUnit.Count, 1)


@emit_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Handle a batch of messages; give the ones that failed."""
    return process_partial_response(event, deliver, processor, context)
