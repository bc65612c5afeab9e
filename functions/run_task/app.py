"""Trigger: the task queue, one message `{task_id, seq}` at a time.

Takes the one step that the message stands for: submit, poll, copy or end, and sends the next message.
Never trusts the message: what is true stands in the task's row.
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
from tollgate.tasks.step import Stepped, StepResult

processor = batch_processor(EventType.SQS)


def step(record: SQSRecord) -> None:
    """Take one step; what raises is reported and comes again."""
    message = json.loads(record.body)
    _report(message, bootstrap.step_runner().run(message["task_id"], message["seq"]))


def _report(message: dict[str, Any], stepped: Stepped) -> None:
    logger.info(f"run_task.{stepped.result}", **message, status=stepped.task and stepped.task.status)
    if stepped.result is StepResult.ENDED and stepped.task is not None:
        metrics.add_metric(f"Tasks{stepped.task.status.capitalize()}", MetricUnit.Count, 1)
        for attempt in stepped.task.attempts:
            logger.info(
                "run_task.attempt",
                task_id=stepped.task.task_id,
                provider=attempt.provider,
                failure=attempt.failure,
                detail=attempt.detail,
            )


@emit_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Handle a batch of messages; give the ones that failed."""
    return process_partial_response(event, step, processor, context)
