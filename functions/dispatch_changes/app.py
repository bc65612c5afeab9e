"""Trigger: the streams of the tables of tasks (new ones, and those that ended) and of audits (new lines).

Sends the message that starts a new task, the one that delivers an ended task's webhook, or the one that has a
line of the audit log mailed.
Never writes to a table, and never decides anything about a task.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.kit.batches import Record, process_one_by_one
from tollgate.kit.observability import begin_log, logger


def dispatch(record: Record) -> None:
    """Carry one change on; what raises is reported and comes again."""
    begin_log(sequence=record["dynamodb"]["SequenceNumber"])
    dispatch_changes_parts.dispatcher().dispatch(record)
    logger.info("dispatch_changes.sent")


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Handle a batch of changes; return the ones that failed."""
    return process_one_by_one(event, dispatch)
