"""Trigger: the batch queue, one message `{account_id, batch_id}` for some minutes of a batch, with
`is_urgent` if it was cancelled; the workflow queue, one message `{workflow_id}` for a move of a workflow.

Sends lines to the vendor's batch API, or runs them as ordinary text requests, and stores their results.
Writes the files of results at the end, or sends a message for the rest. Starts and ends steps of a workflow.
Never trusts a message: the batch is in its row, and one worker has it; the workflow is in its row, whose
version guards each write.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import run_batch as run_batch_parts
from tollgate.kit.aws.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log


def run(record: Record) -> None:
    """Run one batch or move one workflow. An exception returns the message to the queue."""
    message = message_of(record)
    begin_log(**message)
    if "workflow_id" in message:
        run_batch_parts.run_workflow(message["workflow_id"])
    else:
        is_urgent = message.get("is_urgent", False)
        run_batch_parts.run(message["account_id"], message["batch_id"], is_urgent=is_urgent)


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of messages; return the failures in the format of Lambda."""
    return process_one_by_one(event, run)
