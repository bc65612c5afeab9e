"""Trigger: the mail queue, one message `{account_id, event_id}` at a time, and every hour.

Mails a line of the audit log once to each member who wants it. Every hour it records events of the calendar:
keys that expire, and months whose statement is ready. Those lines arrive as messages later. Never changes an
account.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import notify_members as notify_members_parts
from tollgate.kit.aws.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, logger

# It stops searching when this much of the invocation is left, to finish the current account.
RESERVE_MS = 15_000


def notify(record: Record) -> None:
    """Mail one line. An exception returns the message to the queue."""
    message = message_of(record)
    begin_log(**message)
    result = notify_members_parts.notifier().notify(message["account_id"], message["event_id"])
    logger.info(f"notify_members.{result}")


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Process a batch of messages and return the failures, or record events of the calendar."""
    if "Records" in event:
        return process_one_by_one(event, notify)
    begin_log()
    recorded = notify_members_parts.reminders().run(
        lambda: context.get_remaining_time_in_millis() > RESERVE_MS
    )
    logger.info("notify_members.looked", noted=recorded)
    return None
