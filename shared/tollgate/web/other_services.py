"""Parts of a page that another service has: AWS's user pool, secrets, queues and files.

If such a service cannot be reached, a page shows its other parts.
"""

from collections.abc import Callable
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.kit.observability import logger

Value = TypeVar("Value")


def read_or(fallback: Value, part: str, read: Callable[[], Value]) -> Value:
    """Return the result of `read`. If its service fails now, log that and return `fallback`."""
    try:
        return read()
    except (BotoCoreError, ClientError):
        logger.exception("dashboard.part_unread", part=part)
        return fallback
