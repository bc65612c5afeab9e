"""Trigger: the thumbnail queue, one message `{task_id, url}` for each file of a finished task.

Has the thumbnail of one stored result drawn, and stores it beside it.
Never touches a task or money: a result without a thumbnail is shown itself.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import make_thumbnails as make_thumbnails_parts
from tollgate.kit.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, emit, logger


def make(record: Record) -> None:
    """Make one thumbnail; what raises is reported and comes again."""
    message = message_of(record)
    begin_log(task_id=message["task_id"])
    outcome = make_thumbnails_parts.thumbnail_service().make(message["url"])
    logger.info(f"make_thumbnails.{outcome}")
    emit({f"Thumbnails{outcome.capitalize()}": 1})


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Handle a batch of messages; return the ones that failed."""
    return process_one_by_one(event, make)
