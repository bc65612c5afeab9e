"""Trigger: the task queue, one message `{task_id, seq}` or `{task_id, cancel}` at a time.
A message is `woken` where a slot of the account came free for the task.

Takes the one step that the message stands for: submit, poll, copy, cancel or end, and sends the next message.
Never trusts the message: what is true stands in the task's row.
"""

import json
from typing import Any

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import run_task as run_task_parts
from tollgate.kit.batches import EventType, batch_processor, process_partial_response
from tollgate.kit.observability import begin_log
from tollgate.tasks.reports import report

processor = batch_processor(EventType.SQS)


def step(record: SQSRecord) -> None:
    """Take one step; what raises is reported and comes again."""
    message = json.loads(record.body)
    begin_log(**message)
    runner, task_id = run_task_parts.step_runner(), message["task_id"]
    if "cancel" in message:
        report(runner.cancel(task_id, message["cancel"]))
    else:
        report(runner.run(task_id, message["seq"], was_woken="woken" in message))


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Handle a batch of messages; give the ones that failed."""
    return process_partial_response(event, step, processor, context)
