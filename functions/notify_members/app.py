"""Trigger: the mail queue, one message `{account_id, event_id}` at a time, and every hour.

Mails a line of the audit log to the members who want it, each once. Every hour it notes what time brings:
keys that expire, and months whose statement is ready; those lines come back as messages.
Never changes what an account has or may do.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import notify_members as notify_members_parts
from tollgate.kit.batches import Record, message_of, process_one_by_one
from tollgate.kit.observability import begin_log, logger

# Left of an invocation when it stops looking: for the account it is at.
RESERVE_MS = 15_000


def tell(record: Record) -> None:
    """Mail one line; what raises is reported and comes again."""
    message = message_of(record)
    begin_log(**message)
    told = notify_members_parts.notifier().tell(message["account_id"], message["event_id"])
    logger.info(f"notify_members.{told}")


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Handle a batch of messages, and give the ones that failed; or look at the calendar."""
    if "Records" in event:
        return process_one_by_one(event, tell)
    begin_log()
    noted = notify_members_parts.reminders().look(lambda: context.get_remaining_time_in_millis() > RESERVE_MS)
    logger.info("notify_members.looked", noted=noted)
    return None
