"""DynamoDB through boto3: plain Python values, conditional writes with named refusals.

Only `repository.py` files use this module. A failed condition is a business outcome, never a `ClientError`.
Each write names the error that its refusal means, so no caller picks errors by message text.
`core.py` interprets responses and decides on retries.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from botocore import xform_name
from botocore.exceptions import ClientError, HTTPClientError, ResponseStreamingError
from botocore.parsers import ResponseParserError

from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.core import LOST, Answer, Patience, Request, Steps, Wait, Written
from tollgate.kit.dynamodb.expressions import Condition, Placeholders
from tollgate.kit.dynamodb.rows import Item, from_attributes, to_attributes
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite, Write, put_if_unchanged

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# About 6 s of collisions on one account before a request gives up, and 5 timeouts of `aws/sdk.py`: together
# less than the 29 s that API Gateway waits for us.
PATIENCE = Patience(attempts=13, unanswered=5, max_wait_s=1.5)
PAGE_SIZE = 100
FIRST_SERVER_ERROR = 500

# The request may have been carried out: the response is missing or cut short.
_NO_ANSWER = (HTTPClientError, ResponseParserError, ResponseStreamingError)

T = TypeVar("T")
Value = TypeVar("Value")


class Database:
    """The tables of one account and region, through one boto3 client that tries once.

    Every method raises `DatabaseError` if DynamoDB cannot be reached, `DatabaseBusyError` if it throttled us
    each time, and `WriteConflictError` if transactions on the same row stood in the way each time.
    """

    def __init__(self, client: "DynamoDBClient", sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep

    def get(self, table: str, key: Item) -> Item | None:
        """Return the row at `key` as it is now (strongly consistent), or `None`."""
        return self._carry_out(core.get(table, key, PATIENCE))

    def get_all(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return the existing rows among at most 100 keys, in any order (strongly consistent)."""
        return self._carry_out(core.get_all(table, keys, PATIENCE))

    def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return rows that must exist, all read at one moment."""
        return self._carry_out(core.get_together(table, keys, PATIENCE))

    def write(self, write: SingleWrite) -> Written:
        """Do one write. Raises the error of `write.refused` if its condition fails."""
        return self._carry_out(core.write(write, PATIENCE))

    def delete(self, table: str, key: Item) -> None:
        """Delete a row, whatever is in it; a repeat changes nothing."""
        self._carry_out(core.delete(table, key, PATIENCE))

    def transact(self, writes: Sequence[TransactWrite]) -> None:
        """Do all writes or none. Raises the error of the first refused write, in the order given."""
        self._carry_out(core.transact(writes, PATIENCE))

    def query(
        self,
        table: str,
        condition: Condition,
        *,
        index: str | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        page_size: int = PAGE_SIZE,
        after: Item | None = None,
        fields: Sequence[str] = (),
    ) -> Iterator[Item]:
        """Return the rows of one partition in key order, or in reverse, at most `limit` of them.

        The `condition` names the partition, and may bound the sort key. `page_size` is the most rows of one
        round trip, for which DynamoDB reads 1 MB at most. `after` is the key of the row to continue after;
        for an index it includes the table's key. With `fields`, rows have only these.
        """
        to = Placeholders()
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition.render(to),
            "ExpressionAttributeValues": to.attributes,
            "ScanIndexForward": not newest_first,
        }
        # A global secondary index cannot be read consistently.
        request |= {"IndexName": index} if index else {"ConsistentRead": True}
        return self._pages("Query", request | _part(after, fields, to), limit, page_size)

    def scan(self, table: str, *, after: Item | None = None, fields: Sequence[str] = ()) -> Iterator[Item]:
        """Return every row of a table, page by page; for audits, and for tables of a few rows.

        `after` and `fields` have the same meaning as in `query`.
        """
        request = {"TableName": table, "ConsistentRead": True, **_part(after, fields, Placeholders())}
        return self._pages("Scan", request, None, PAGE_SIZE)

    def _pages(
        self, operation: str, body: dict[str, Any], limit: int | None, page_size: int
    ) -> Iterator[Item]:
        left = limit
        while True:
            body["Limit"] = page_size if left is None else min(left, page_size)
            answer = self._carry_out(core.read(Request(operation, body, body["TableName"]), PATIENCE))
            yield from (from_attributes(found) for found in answer["Items"])
            # A page may be shorter than requested, even empty, with more to come: DynamoDB stops at 1 MB
            # read.
            left = None if left is None else left - len(answer["Items"])
            if "LastEvaluatedKey" not in answer or left == 0:
                return
            body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _carry_out(self, steps: Steps[T]) -> T:
        return core.carry_out(steps, self._take)

    def _take(self, step: Request | Wait) -> Answer:
        if isinstance(step, Wait):
            self._sleep(step.seconds)
            return Answer()
        return self._send(step)

    def _send(self, request: Request) -> Answer:
        call = getattr(self._client, xform_name(request.operation))
        try:
            return Answer(call(**request.body))
        except ClientError as exc:
            status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            error = LOST if status >= FIRST_SERVER_ERROR else exc.response["Error"]["Code"]
            return Answer(exc.response, error, exc)
        except _NO_ANSWER as exc:
            return Answer({}, LOST, exc)


class OneTable:
    """A repository whose rows are in one table."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table

    def _find(self, key: Item, of: Callable[[Item], Value]) -> Value | None:
        """Return the value `of` the row under a key, or `None`."""
        row = self._db.get(self._table, key)
        return None if row is None else of(row)


class VersionedRow(Protocol):
    """A dataclass that is stored as one whole row of an account, whose `seq` counts its writes."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def account_id(self) -> str:
        """Return the row's account."""

    @property
    def seq(self) -> int:
        """Return how many times the row was written."""

    def to_item(self) -> Item:
        """Return the row."""


VersionedT = TypeVar("VersionedT", bound=VersionedRow)


class VersionedRepository(OneTable, Generic[VersionedT]):
    """A repository that writes a row only if it is unchanged since the read, else raises `stale_error`."""

    stale_error: type[Exception]

    def save(self, read: VersionedT, changed: VersionedT, others: Sequence[TransactWrite] = ()) -> VersionedT:
        """Write a change, together with other writes; return the row as written.

        Raises `stale_error`, or the error of the first refused write among the others.
        """
        saved = replace(changed, seq=read.seq + 1)
        self._db.transact([self._put(read, saved), *others])
        return saved

    def change(self, read: VersionedT, changed: VersionedT) -> Write:
        """Return the write of a change, for another transaction. Refused: `stale_error`."""
        return self._put(read, replace(changed, seq=read.seq + 1))

    def _put(self, read: VersionedT, saved: VersionedT) -> Write:
        return put_if_unchanged(
            self._table, saved.to_item(), "account_id", read.seq, lambda _: self.stale_error(read.account_id)
        )


def _part(after: Item | None, fields: Sequence[str], to: Placeholders) -> dict[str, Any]:
    """Return the parts of a request for the rows after a key, and for only some of their fields."""
    part: dict[str, Any] = {}
    if after is not None:
        part["ExclusiveStartKey"] = to_attributes(after)
    if fields:
        part["ProjectionExpression"] = ", ".join(map(to.operand, fields))
    if to.names:
        part["ExpressionAttributeNames"] = to.names
    return part
