"""Trigger: the thumbnail queue, one message `{task_id, url}` for each file of a finished task.

Has the thumbnail of a stored result drawn, and stores it beside the result. Never touches a task or money:
pages show a result without a thumbnail in full.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import make_thumbnails as make_thumbnails_parts
from tollgate.kit.aws.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, emit, logger


def make(record: Record) -> None:
    """Create one thumbnail. An exception returns the message to the queue."""
    message = message_of(record)
    begin_log(task_id=message["task_id"])
    outcome = make_thumbnails_parts.thumbnail_service().make(message["url"])
    logger.info(f"make_thumbnails.{outcome}")
    emit({f"Thumbnails{outcome.capitalize()}": 1})


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of messages; return the failures in the format of Lambda."""
    return process_one_by_one(event, make)
