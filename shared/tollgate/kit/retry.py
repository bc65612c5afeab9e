"""Temporary obstacles to a request to AWS: conflicts and throttles.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html and, for the
reasons of a cancelled transaction,
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any, TypeVar

from tollgate.kit.errors import ConcurrencyLimitedError, InternalError, StorageBusyError, TollgateError
from tollgate.kit.observability import emit, logger


class RetryReason(Enum):
    """Why a request was not carried out. A retry may succeed."""

    # Another transaction, or an earlier copy of this one, is writing the same row.
    CONFLICT = "conflict"
    THROTTLE = "throttle"  # The row, the table or the account is over its limit.


_CODES = {
    "TransactionConflictException": RetryReason.CONFLICT,
    "TransactionInProgressException": RetryReason.CONFLICT,
    "ProvisionedThroughputExceededException": RetryReason.THROTTLE,
    "RequestLimitExceeded": RetryReason.THROTTLE,
    "ThrottlingException": RetryReason.THROTTLE,
}
_REASONS = {
    "TransactionConflict": RetryReason.CONFLICT,
    "ThrottlingError": RetryReason.THROTTLE,
    "ProvisionedThroughputExceeded": RetryReason.THROTTLE,
}
# The error codes by which AWS services refuse a caller that sends too many requests. botocore retries these,
# so a caller that receives one has waited already.
THROTTLES = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "Throttling",
        "ThrottledException",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
# An answer to HEAD has no code but this.
THROTTLE_STATUSES = frozenset({429, 503})
# Times that one change reads and decides; each but the first because others wrote the rows meanwhile.
MAX_CHANGE_ATTEMPTS = 8
# The attributes of a row's key that may be logged.
_IDS = ("account_id", "task_id", "key_id", "entry_id", "delivery_id", "provider")


def retry_reason(code: str, reasons: Sequence[Mapping[str, Any]] = ()) -> RetryReason | None:
    """Return the obstacle behind an error's code; a cancelled transaction has `reasons`."""
    if code == "TransactionCanceledException":
        found = [_REASONS[reason["Code"]] for reason in reasons if reason.get("Code") in _REASONS]
        return found[0] if found else None
    return _CODES.get(code)


def busy(
    operation: str, table: str, row: Mapping[str, Any] | None = None, last: RetryReason = RetryReason.THROTTLE
) -> StorageBusyError:
    """Return the error of a request that never got through, after saying so in the log and as a metric."""
    ids = {name: row[name] for name in _IDS if row and name in row}
    logger.error("storage.busy", operation=operation, table=table, obstacle=last.value, **ids)
    emit({"StorageBusy": 1})
    return StorageBusyError()


def is_throttle(exc: Exception) -> bool:
    """Return whether an exception is an AWS service's refusal of too many requests."""
    answer = getattr(exc, "response", None)
    if not isinstance(answer, Mapping):
        return False
    code = answer.get("Error", {}).get("Code")
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return code in THROTTLES or status in THROTTLE_STATUSES


def fault(exc: Exception, line: str, **ids: Any) -> TollgateError:
    """Log an exception that no rule names as `line` with `ids`, and return the error for the caller.

    The error is 503 if AWS throttled all of the SDK's attempts, else 500.
    """
    if is_throttle(exc):
        return busy(getattr(exc, "operation_name", ""), "")
    logger.error(line, exc_info=exc, **ids)
    return InternalError()


ResultT = TypeVar("ResultT")


def retry_change(change: Callable[[], ResultT], *stale: type[Exception], what: str) -> ResultT:
    """Return the result of `change`, which reads rows, decides, and writes if they are unchanged.

    If it raises a `stale` error, another process changed the rows in between, and it runs again.
    Raises `ConcurrencyLimitedError`, which names `what` is being changed, after too many attempts.
    """
    for _ in range(MAX_CHANGE_ATTEMPTS):
        with suppress(*stale):
            return change()
    raise ConcurrencyLimitedError(f"{what} being changed by many requests at once.")
