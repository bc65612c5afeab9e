"""Trigger: the refill queue, one message `{account_id, fall}` at a time; `fall` numbers the crossing.

Notifies the owner of a low balance, and carries out the automatic top-up if it is due. Never pays twice for
one crossing of the threshold, and never more than the month's limit.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import refill_balance as refill_balance_parts
from tollgate.kit.aws.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, logger


def refill(record: Record) -> None:
    """Process one crossing of the threshold. An exception returns the message to the queue."""
    message = message_of(record)
    begin_log(**message)
    outcome = refill_balance_parts.refill().run(message["account_id"], message["fall"])
    logger.info(f"refill_balance.{outcome}")


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of messages; return the failures in the format of Lambda."""
    return process_one_by_one(event, refill)
