"""Trigger: the streams of the tables of tasks (new and ended tasks) and of the audit log (new lines).

Sends a message that starts a new task, delivers an ended task's webhook, or mails a line of the audit log.
Never writes to a table, and never decides anything about a task.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.kit.aws.batches import Record, process_one_by_one
from tollgate.kit.observability import begin_log, logger


def dispatch(record: Record) -> None:
    """Send the message for one change. An exception returns the change to the stream."""
    begin_log(sequence=record["dynamodb"]["SequenceNumber"])
    dispatch_changes_parts.dispatcher().dispatch(record)
    logger.info("dispatch_changes.sent")


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of changes; return the failures in the format of Lambda."""
    return process_one_by_one(event, dispatch)
