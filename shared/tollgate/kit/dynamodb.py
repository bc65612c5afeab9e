"""DynamoDB, as small as we need it: plain Python values, conditional writes with named refusals.

Only `repository.py` files use this module. A condition that fails is a business outcome, never a
`ClientError`: each `Write` says itself which error its refusal means, so no caller picks errors by
message text. Writes that collide with a transaction are tried again, with jitter and within a bound; what is
throttled after all attempts is a `StorageBusyError`.
"""

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from botocore.exceptions import ClientError

from tollgate.kit.contention import THROTTLES, Obstacle, busy, obstacle
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.rows import Item, from_attributes, to_attributes
from tollgate.kit.writes import Write, put_as_read

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# With the waits below, about 6 s of collisions on one account before a write gives up.
MAX_TRANSACTION_ATTEMPTS = 12
# The SDK waits up to 7 s in its own four tries of a write that is throttled; API Gateway waits 29 s for us.
MAX_THROTTLED_ATTEMPTS = 3
FIRST_WAIT_S = 0.02
MAX_WAIT_S = 1.0
PAGE_SIZE = 100
# DynamoDB's own bound for one BatchGetItem.
MAX_KEYS = 100
# Reads of what an earlier answer left out, with the waits of collisions between them.
MAX_BATCH_ROUNDS = 8

Value = TypeVar("Value")


class WriteConflictError(StorageBusyError):
    """Other writes kept getting in between; nothing was written and the caller may try again later."""


class Database:
    """The tables of one account and region, through one boto3 client."""

    def __init__(self, client: "DynamoDBClient", sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep

    def get(self, table: str, key: Item) -> Item | None:
        """Return the row at `key` as it is now (strongly consistent), or `None`.

        This and every other read raises `StorageBusyError` when all of the SDK's attempts were throttled.
        """
        with _throttles_named("GetItem", table, key):
            answer = self._client.get_item(TableName=table, Key=to_attributes(key), ConsistentRead=True)
        found = answer.get("Item")
        return None if found is None else from_attributes(found)

    def get_all(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return those of at most 100 rows that there are, in any order, as they are now.

        Raises `StorageBusyError` when the table kept leaving some out.
        """
        left: list[Any] = [to_attributes(key) for key in keys[:MAX_KEYS]]
        found: list[Item] = []
        for attempt in range(MAX_BATCH_ROUNDS):
            if not left:
                return found
            # What the last answer left out was too much for now: at once it would be left out again.
            if attempt:
                self._sleep(_wait_s(attempt))
            request: Any = {table: {"Keys": left, "ConsistentRead": True}}
            with _throttles_named("BatchGetItem", table):
                answer = self._client.batch_get_item(RequestItems=request)
            found += [from_attributes(row) for row in answer["Responses"].get(table, [])]
            # BatchGetItem gives at most 16 MB, and less under load; the rest it names.
            left = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])  # type: ignore[call-overload]
        raise busy("BatchGetItem", table)

    def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return rows that there are for sure, as they were at one moment. Raises `StorageBusyError`."""
        items: Any = [{"Get": {"TableName": table, "Key": to_attributes(key)}} for key in keys]
        found: list[Item] = []

        def send() -> None:
            answer = self._client.transact_get_items(TransactItems=items)
            found.extend(from_attributes(one["Item"]) for one in answer["Responses"])

        self._past_obstacles(send, "TransactGetItems", table, keys[0])
        return found

    def write(self, write: Write) -> None:
        """Do one write.

        Raises what `write.refused` gives when its condition does not hold; `WriteConflictError` when
        transactions on the same row stood in the way for all attempts, `StorageBusyError` when throttled.
        """
        call = self._client.put_item if write.kind() == "Put" else self._client.update_item

        def send() -> None:
            try:
                call(**write.request())
            except ClientError as exc:
                if _code(exc) != "ConditionalCheckFailedException":
                    raise
                # The row as it was when the condition failed comes with the refusal, so the reason needs no
                # second read.
                found = _found(exc.response)
                if found is None or not write.repeated(found):
                    raise write.refused(found) from exc

        self._past_obstacles(send, f"{write.kind()}Item", write.table, write.key or write.item)

    def delete(self, table: str, key: Item) -> None:
        """Delete a row, whatever is in it; a repeat changes nothing. Raises as `write` does."""

        def send() -> None:
            self._client.delete_item(TableName=table, Key=to_attributes(key))

        self._past_obstacles(send, "DeleteItem", table, key)

    def transact(self, writes: Sequence[Write]) -> None:
        """Do all writes or none.

        Raises what the first refused write means, in the order given; `WriteConflictError` when other
        transactions stood in the way for all attempts, `StorageBusyError` when it was throttled.
        """
        items = [{write.kind(): write.request()} for write in writes]
        # DynamoDB does a transaction once for each token, within ten minutes.
        token = str(uuid.uuid4())

        def send() -> None:
            nonlocal token
            try:
                self._client.transact_write_items(TransactItems=items, ClientRequestToken=token)  # type: ignore[arg-type]
            except ClientError as exc:
                _raise_refusal(exc, writes)
                # One that is still in progress was sent by an earlier try whose answer got lost (botocore
                # tries again by itself): only under the same token do we hear how that one ended.
                if _code(exc) != "TransactionInProgressException":
                    token = str(uuid.uuid4())
                raise

        self._past_obstacles(send, "TransactWriteItems", writes[0].table, writes[0].key or writes[0].item)

    def _past_obstacles(self, send: Callable[[], None], operation: str, table: str, row: Item | None) -> None:
        last, throttled = Obstacle.CONFLICT, 0
        for attempt in range(MAX_TRANSACTION_ATTEMPTS):
            try:
                send()
            except ClientError as exc:
                found = obstacle(_code(exc), _reasons(exc))
                if found is None:
                    raise
                last = found
                throttled += _code(exc) in THROTTLES
                if throttled == MAX_THROTTLED_ATTEMPTS:
                    break
                self._sleep(_wait_s(attempt))
            else:
                return
        error = busy(operation, table, row, last)
        raise WriteConflictError if last is Obstacle.CONFLICT else error

    def query(
        self,
        table: str,
        condition: str,
        values: Mapping[str, Any],
        *,
        index: str | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        after: Item | None = None,
        fields: Sequence[str] = (),
    ) -> Iterator[Item]:
        """Return the rows of one partition in key order, or the other way round, at most `limit` of them.

        `page_size` is how many one round trip may give, of which DynamoDB reads 1 MB at most; `after` is the
        key (an index's has the table's in it) of the row to go on after. With `fields` rows have these alone.
        """
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": to_attributes(values),
            "ScanIndexForward": not newest_first,
        }
        # A global secondary index cannot be read consistently.
        request |= {"IndexName": index} if index else {"ConsistentRead": True}
        call = partial(_named_call, self._client.query, "Query", table)
        return self._pages(call, request | _part(after, fields), limit, page_size)

    def scan(self, table: str, *, after: Item | None = None, fields: Sequence[str] = ()) -> Iterator[Item]:
        """Return every row of a table, page by page; for audits, and for tables of a few rows.

        `after` and `fields` are those of `query`.
        """
        request = {"TableName": table, "ConsistentRead": True, **_part(after, fields)}
        return self._pages(partial(_named_call, self._client.scan, "Scan", table), request, None, PAGE_SIZE)

    @staticmethod
    def _pages(
        call: Callable[..., Any], request: dict[str, Any], limit: int | None, page_size: int
    ) -> Iterator[Item]:
        left = limit
        while True:
            answer = call(**request, Limit=page_size if left is None else min(left, page_size))
            yield from (from_attributes(found) for found in answer["Items"])
            # A page may be shorter than asked for, even empty, with more to come: DynamoDB stops at 1 MB
            # read.
            left = None if left is None else left - len(answer["Items"])
            if "LastEvaluatedKey" not in answer or left == 0:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


@contextmanager
def _throttles_named(operation: str, table: str, key: Item | None = None) -> Iterator[None]:
    """Raise `StorageBusyError` for a read that was throttled for all of the SDK's attempts."""
    try:
        yield
    except ClientError as exc:
        if obstacle(_code(exc)) is None:
            raise
        raise busy(operation, table, key) from exc


class OneTable:
    """A repository whose rows are in one table."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table

    def _find(self, key: Item, of: Callable[[Item], Value]) -> Value | None:
        """Return the value `of` the row under a key, or `None`."""
        row = self._db.get(self._table, key)
        return None if row is None else of(row)


class KeptRow(Protocol):
    """A dataclass that is stored as one whole row of an account, whose `seq` counts its writes."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def account_id(self) -> str:
        """Return whose row it is."""

    @property
    def seq(self) -> int:
        """Return how often it was written."""

    def to_item(self) -> Item:
        """Return the row."""


Kept = TypeVar("Kept", bound=KeptRow)


class RowsAsRead(OneTable, Generic[Kept]):
    """A repository that writes each row only as it was read; `moved` says that somebody else was first."""

    moved: type[Exception]

    def save(self, read: Kept, changed: Kept, others: Sequence[Write] = ()) -> Kept:
        """Write a change, together with other writes; return it as it is then.

        Raises `moved`, or what the first refused one of the others means.
        """
        saved = replace(changed, seq=read.seq + 1)
        self._db.transact([self._put(read, saved), *others])
        return saved

    def change(self, read: Kept, changed: Kept) -> Write:
        """Return the write of a change, for another transaction. Refused: `moved`."""
        return self._put(read, replace(changed, seq=read.seq + 1))

    def _put(self, read: Kept, saved: Kept) -> Write:
        return put_as_read(
            self._table, saved.to_item(), "account_id", read.seq, lambda _: self.moved(read.account_id)
        )


def _named_call(call: Callable[..., Any], operation: str, table: str, **request: Any) -> Any:
    with _throttles_named(operation, table):
        return call(**request)


def _part(after: Item | None, fields: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a request that ask for the rows after one, and for some of their fields."""
    part: dict[str, Any] = {}
    if after is not None:
        part["ExclusiveStartKey"] = to_attributes(after)
    if fields:
        part["ProjectionExpression"] = ", ".join(f"#f{n}" for n in range(len(fields)))
        part["ExpressionAttributeNames"] = {f"#f{n}": name for n, name in enumerate(fields)}
    return part


def _wait_s(attempt: int) -> float:
    """Full jitter under a doubling ceiling, so that colliding writers spread out."""
    return random.uniform(0, min(MAX_WAIT_S, FIRST_WAIT_S * 2**attempt))  # noqa: S311 - not a secret


def _found(response: Mapping[str, Any]) -> Item | None:
    found = response.get("Item")
    return None if not found else from_attributes(found)


def _code(exc: ClientError) -> str:
    return exc.response["Error"]["Code"]


def _reasons(exc: ClientError) -> list[dict[str, Any]]:
    # botocore types the error response without the reasons that transactions add to it.
    return exc.response.get("CancellationReasons", [])  # type: ignore[return-value]


def _raise_refusal(exc: ClientError, writes: Sequence[Write]) -> None:
    """Raise what a cancelled transaction means for the first write whose condition failed, if one did."""
    if _code(exc) != "TransactionCanceledException":
        return
    for write, reason in zip(writes, _reasons(exc), strict=True):
        if reason.get("Code") == "ConditionalCheckFailed":
            raise write.refused(_found(reason)) from exc
