"""What stands in the way of a request to DynamoDB and is gone in a moment: conflicts, and throttles.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html and, for the
reasons of a cancelled transaction,
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from tollgate.kit.errors import StorageBusyError
from tollgate.kit.observability import emit, logger
from tollgate.kit.rows import Item


class Obstacle(Enum):
    """Why a request was not carried out; another attempt is worth it."""

    # Another transaction, or one of our own that is in progress still, is writing the same row.
    CONFLICT = "conflict"
    THROTTLE = "throttle"  # The row, the table or the account is over its limit.


_CODES = {
    "TransactionConflictException": Obstacle.CONFLICT,
    "TransactionInProgressException": Obstacle.CONFLICT,
    "ProvisionedThroughputExceededException": Obstacle.THROTTLE,
    "RequestLimitExceeded": Obstacle.THROTTLE,
    "ThrottlingException": Obstacle.THROTTLE,
}
_REASONS = {
    "TransactionConflict": Obstacle.CONFLICT,
    "ThrottlingError": Obstacle.THROTTLE,
    "ProvisionedThroughputExceeded": Obstacle.THROTTLE,
}
# Of a row's key, those that may stand in a log.
_IDS = ("account_id", "task_id", "key_id", "entry_id", "delivery_id", "provider")


def obstacle(code: str, reasons: Sequence[Mapping[str, Any]] = ()) -> Obstacle | None:
    """Return what stood in the way, by an error's code; a cancelled transaction has `reasons`."""
    if code == "TransactionCanceledException":
        found = [_REASONS[reason["Code"]] for reason in reasons if reason.get("Code") in _REASONS]
        return found[0] if found else None
    return _CODES.get(code)


def busy(
    operation: str, table: str, row: Item | None = None, last: Obstacle = Obstacle.THROTTLE
) -> StorageBusyError:
    """Return the error of a request that never got through, after saying so in the log and as a metric."""
    ids = {name: row[name] for name in _IDS if row and name in row}
    logger.error("storage.busy", operation=operation, table=table, obstacle=last.value, **ids)
    emit({"StorageBusy": 1})
    return StorageBusyError()
