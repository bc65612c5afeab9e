"""Requests to DynamoDB and the meaning of its responses, without I/O.

Each function here is a generator of steps. It yields a `Request` and is sent the `Answer`, or yields a `Wait`
and is sent an empty one. Its return value is the outcome. Two transports carry the steps out: `database.py`
through boto3, and `async_database.py` through our HTTP client for text. So there is one rule for every retry:

- An obstacle (a conflict, a throttle) is temporary: the same request is sent again.
- A lost response does not show whether the request was carried out. The request is sent again
  because a repeat is harmless: a single write is a `SingleWrite`, and a transaction has a token.
- A failed condition is a business outcome. Unless the row shows that the write was carried out before,
  the error is the one that the write itself names.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html, and for
transactions https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html.
"""

import os
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from tollgate.kit.dynamodb.expressions import Condition, Placeholders
from tollgate.kit.dynamodb.rows import Item, from_attributes, to_attributes
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite
from tollgate.kit.encoded_json import Encoded
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.retry import RetryReason, busy, retry_reason

FIRST_WAIT_S = 0.02
# DynamoDB's own bound for one BatchGetItem.
MAX_KEYS = 100
# Reads of the keys that an earlier answer left out.
MAX_BATCH_ROUNDS = 8

# The error of an `Answer` that never came or was unreadable.
LOST = "no answer"
_CANCELLED = "TransactionCanceledException"
_REFUSED = "ConditionalCheckFailedException"
# DynamoDB's error codes for its own failures, after which the request may have been carried out.
_FAILED = frozenset({LOST, "InternalServerError", "InternalFailure", "ServiceUnavailable"})

T = TypeVar("T")


class DatabaseError(Exception):
    """DynamoDB is unreachable, or returned an error that no retry resolves."""


class DatabaseBusyError(DatabaseError, StorageBusyError):
    """DynamoDB throttled us, or other writes stood in the way, each time; the caller may try again later."""

    def __init__(self, reason: str = "") -> None:
        StorageBusyError.__init__(self)
        if reason:
            self.add_note(reason)


class WriteConflictError(DatabaseBusyError):
    """Other writes kept getting in between; nothing was written and the caller may try again later."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to send: `body` is in DynamoDB's typed form. `table` and `row` are for logs."""

    operation: str
    body: Mapping[str, Any]
    table: str
    row: Item = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wait:
    """A time to let pass before the next request."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The response: its `body`, in DynamoDB's typed form, or the code of an `error`."""

    body: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    cause: Exception | None = None
    """The exception by which the response was lost, if there is one."""

    @property
    def reasons(self) -> Sequence[Mapping[str, Any]]:
        """Return the reasons of a cancelled transaction, one for each of its writes."""
        reasons: Sequence[Mapping[str, Any]] = self.body.get("CancellationReasons", ())
        return reasons

    @property
    def retry_reason(self) -> RetryReason | None:
        """Return the obstacle, if a retry may succeed."""
        # A condition that failed fails again, whatever else stood in the way.
        if any(reason.get("Code") == "ConditionalCheckFailed" for reason in self.reasons):
            return None
        return retry_reason(self.error, self.reasons)

    @property
    def is_lost(self) -> bool:
        """Return whether it is unknown if the request was carried out."""
        return self.error in _FAILED


Steps = Generator[Request | Wait, Answer, T]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a transport repeats a request: all attempts, attempts without a response, and waits."""

    attempts: int
    unanswered: int
    max_wait_s: float

    def wait(self, attempt: int) -> Wait:
        """Return full jitter under a doubling ceiling, so that colliding writers spread out."""
        return Wait(random.uniform(0, min(self.max_wait_s, FIRST_WAIT_S * 2**attempt)))  # noqa: S311


def get(table: str, key: Item, patience: Patience) -> Steps[Item | None]:
    """Return the row at `key` as it is now (strongly consistent), or `None`."""
    body = {"TableName": table, "Key": to_attributes(key), "ConsistentRead": True}
    answer = yield from read(Request("GetItem", body, table, key), patience)
    found = answer.get("Item")
    return None if found is None else from_attributes(found)


def get_all(table: str, keys: Sequence[Item], patience: Patience) -> Steps[list[Item]]:
    """Return the existing rows among at most 100 keys, in any order (strongly consistent)."""
    left: Sequence[Any] = [to_attributes(key) for key in keys[:MAX_KEYS]]
    found: list[Item] = []
    for attempt in range(MAX_BATCH_ROUNDS):
        if not left:
            return found
        # The last answer left these out because they were too much at that moment.
        if attempt:
            yield patience.wait(attempt)
        body = {"RequestItems": {table: {"Keys": left, "ConsistentRead": True}}}
        answer = yield from read(Request("BatchGetItem", body, table), patience)
        found += [from_attributes(row) for row in answer["Responses"].get(table, [])]
        # BatchGetItem gives at most 16 MB, and less under load; the rest it names.
        left = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
    raise _busy(Request("BatchGetItem", {}, table), RetryReason.THROTTLE)


def get_together(table: str, keys: Sequence[Item], patience: Patience) -> Steps[list[Item]]:
    """Return rows, all read at one moment; a missing row is empty."""
    items = [{"Get": {"TableName": table, "Key": to_attributes(key)}} for key in keys]
    request = Request("TransactGetItems", {"TransactItems": items}, table, keys[0])
    answer = yield from read(request, patience)
    return [from_attributes(found.get("Item", {})) for found in answer["Responses"]]


def query(
    table: str,
    condition: Condition,
    patience: Patience,
    *,
    limit: int | None = None,
    newest_first: bool = False,
) -> Steps[list[Item]]:
    """Return the rows of one partition in key order, or in reverse, at most `limit` of them.

    Only for rows that fit into one page of 1 MB.
    """
    to = Placeholders()
    body: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": condition.render(to),
        "ExpressionAttributeNames": to.names,
        "ExpressionAttributeValues": to.attributes,
    }
    if limit is not None:
        body["Limit"] = limit
    if newest_first:
        body["ScanIndexForward"] = False
    answer = yield from read(Request("Query", body, table), patience)
    return [from_attributes(item) for item in answer["Items"]]


def read(request: Request, patience: Patience) -> Steps[Mapping[str, Any]]:
    """Return the body of the answer to a read."""
    answer, _ = yield from _ask(request, patience)
    if answer.error:
        raise _failed(request.operation, answer)
    return answer.body


class Written(NamedTuple):
    """A write that was carried out."""

    row: Item | None
    """The row after it, if the write `returns` it."""
    is_doubtful: bool
    """Whether an answer was lost on the way: a copy of the request may still reach the database."""


def write(write: SingleWrite, patience: Patience) -> Steps[Written]:
    """Do one write. Raises what `write.refused` gives if its condition fails.

    A refused write is done if the row that was found shows that it was carried out before.
    """
    text = write.text()
    body = Encoded(f'{text[:-1]},"ReturnValues":"ALL_NEW"}}' if write.returns else text)
    request = Request(f"{write.kind()}Item", body, write.table, write.row)
    answer, lost = yield from _ask(request, patience)
    if not answer.error:
        return Written(_row(answer.body.get("Attributes")), lost > 0)
    if answer.error != _REFUSED:
        raise _failed(request.operation, answer)
    # The row as it was when the condition failed comes with the refusal, so the reason needs no second read.
    found = _row(answer.body.get("Item"))
    if found is None or not write.is_done(found):
        raise write.refused(found) from answer.cause
    return Written(found, lost > 0)


def transact(writes: Sequence[TransactWrite], patience: Patience) -> Steps[None]:
    """Do all writes or none. Raises the error of the first refused write, in the order given."""
    items = _items(writes)
    answer, _ = yield from _ask(partial(_transaction, writes, items), patience, writes)
    for each, reason in zip(writes, answer.reasons, strict=False):
        if reason.get("Code") == "ConditionalCheckFailed":
            raise each.refused(_row(reason.get("Item"))) from answer.cause
    if answer.error:
        raise _failed("TransactWriteItems", answer)


def transact_once(writes: Sequence[TransactWrite]) -> Steps[bool]:
    """Send a transaction once; return whether it was surely carried out.

    If not, it was refused, or something stood in the way, or its answer was lost. A lost one may still be
    carried out later, so the caller must write the same in a way that leaves no room for it.
    """
    answer = yield _transaction(writes, _items(writes))
    return not answer.error


def _items(writes: Sequence[TransactWrite]) -> str:
    return ",".join([f'{{"{each.kind()}":{each.text()}}}' for each in writes])


def _transaction(writes: Sequence[TransactWrite], items: str) -> Request:
    """Return the request of a transaction under a new token.

    DynamoDB carries a transaction out once for each token, within ten minutes.
    """
    body = Encoded(f'{{"TransactItems":[{items}],"ClientRequestToken":"{os.urandom(16).hex()}"}}')
    return Request("TransactWriteItems", body, writes[0].table, writes[0].row)


def delete(table: str, key: Item, patience: Patience) -> Steps[None]:
    """Delete a row, whatever is in it. A repeat changes nothing."""
    request = Request("DeleteItem", {"TableName": table, "Key": to_attributes(key)}, table, key)
    yield from read(request, patience)


def carry_out(steps: Steps[T], take: Callable[[Request | Wait], Answer]) -> T:
    """Run steps to their end without an event loop; return their outcome. `take` does one step."""
    try:
        step = next(steps)
        while True:
            step = steps.send(take(step))
    except StopIteration as end:
        outcome: T = end.value
        return outcome


def _ask(
    ask: Request | Callable[[], Request], patience: Patience, looks: Sequence[TransactWrite] = ()
) -> Steps[tuple[Answer, int]]:
    """Send a request until an answer comes that another try does not change; return it, and how many were
    lost before it.

    A transaction is a function that returns its request under a new token. Before another try, the rows of
    `looks` are read: so a refusal needs no turn among many transactions.
    Raises `DatabaseBusyError`, `DatabaseError` if no answer came, and the errors that `looks` foresee.
    """
    sent = ask if isinstance(ask, Request) else ask()
    lost, last = 0, RetryReason.CONFLICT
    for attempt in range(patience.attempts):
        answer = yield sent
        if not answer.error:
            return answer, lost
        if answer.is_lost:
            lost += 1
            if lost == patience.unanswered:
                raise _failed(sent.operation, answer)
        elif answer.retry_reason is None:
            return answer, lost
        else:
            last = answer.retry_reason
            # A try that was cancelled did nothing, and a token is for one try. But after an answer was lost,
            # a request under this token may still be under way: a new token would let both be carried out.
            if answer.error == _CANCELLED and not isinstance(ask, Request) and not lost:
                sent = ask()
        yield patience.wait(attempt)
        # A try whose answer was lost may have been carried out, and then its own change is in the row.
        if not lost:
            yield from _look(looks)
    raise _busy(sent, last)


def _look(writes: Sequence[TransactWrite]) -> Steps[None]:
    """Raise the error of the first write that foresees that its row as it is now refuses it."""
    for each in writes:
        if each.foresees is None:
            continue
        body = {"TableName": each.table, "Key": to_attributes(each.row), "ConsistentRead": True}
        answer = yield Request("GetItem", body, each.table, each.row)
        # Without an answer the transaction itself shows it.
        if not answer.error and (refusal := each.foresees(_row(answer.body.get("Item")))) is not None:
            raise refusal


def _busy(request: Request, last: RetryReason) -> DatabaseBusyError:
    """Return the error of a request that never got through, after logging it with the ids of its row."""
    busy(request.operation, request.table, request.row, last)
    error = WriteConflictError if last is RetryReason.CONFLICT else DatabaseBusyError
    return error(f"{request.operation}: {last.value}")


def _failed(operation: str, answer: Answer) -> DatabaseError:
    error = DatabaseError(f"{operation}: {answer.error}")
    error.__cause__ = answer.cause
    return error


def _row(attributes: Mapping[str, Any] | None) -> Item | None:
    return None if not attributes else from_attributes(attributes)
