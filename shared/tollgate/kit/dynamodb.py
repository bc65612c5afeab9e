"""DynamoDB, as small as we need it: plain Python values, conditional writes with named refusals.

Only `repository.py` files use this module. A condition that fails is a business outcome, never a
`ClientError`: each `Write` says itself which error its refusal means, so no caller picks errors by
message text. Transactions that collide with another are tried again, with jitter and within a bound.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from botocore.exceptions import ClientError

from tollgate.kit.rows import Item, from_attributes, to_attributes

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

MAX_TRANSACTION_TRIES = 12
"""With the waits below, about 6 s of collisions on one account before a write gives up."""
FIRST_WAIT_S = 0.02
MAX_WAIT_S = 1.0
PAGE_SIZE = 100

_RETRYABLE_REASONS = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
_RETRYABLE_CODES = frozenset({"TransactionConflictException", "TransactionInProgressException"})


class WriteConflictError(Exception):
    """Other writes kept getting in between; nothing was written and the caller may try again later."""


def _unexpected(_: Item | None) -> Exception:
    return AssertionError("a write without a condition was refused")


def _never(_: Item) -> bool:
    return False


@dataclass(frozen=True)
class Write:
    """One write, alone or as a part of a transaction.

    `key` and `update` make an UpdateItem, `item` a PutItem. `refused` turns the row that was found (or
    `None`) into the error that a failed `condition` means.
    """

    table: str
    item: Item | None = None
    key: Item | None = None
    update: str | None = None
    condition: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    refused: Callable[[Item | None], Exception] = _unexpected
    repeated: Callable[[Item], bool] = _never
    """Tells from the row found whether this very write was done before and only its answer was lost.
    botocore sends a write again when no answer came; a transaction has a ClientRequestToken for that,
    a single write has this."""

    def kind(self) -> Literal["Put", "Update"]:
        """Tell which operation this is."""
        return "Put" if self.item is not None else "Update"

    def request(self) -> dict[str, Any]:
        """Give the write as DynamoDB wants it, alike for a single call and inside a transaction."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if self.item is not None:
            request["Item"] = to_attributes(self.item)
        if self.key is not None:
            request["Key"] = to_attributes(self.key)
        if self.update is not None:
            request["UpdateExpression"] = self.update
        if self.condition is not None:
            request["ConditionExpression"] = self.condition
        if self.names:
            request["ExpressionAttributeNames"] = dict(self.names)
        if self.values:
            request["ExpressionAttributeValues"] = to_attributes(self.values)
        return request


class Database:
    """The tables of one account and region, through one boto3 client."""

    def __init__(self, client: "DynamoDBClient", sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep

    def get(self, table: str, key: Item) -> Item | None:
        """Give the row at `key` as it is now (strongly consistent), or `None`."""
        answer = self._client.get_item(TableName=table, Key=to_attributes(key), ConsistentRead=True)
        found = answer.get("Item")
        return None if found is None else from_attributes(found)

    def write(self, write: Write) -> None:
        """Do one write. Raises what `write.refused` gives when its condition does not hold."""
        try:
            if write.kind() == "Put":
                self._client.put_item(**write.request())
            else:
                self._client.update_item(**write.request())
        except ClientError as exc:
            if exc.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            found = _found(exc.response)
            if found is None or not write.repeated(found):
                raise write.refused(found) from exc

    def transact(self, writes: Sequence[Write]) -> None:
        """Do all writes or none.

        Raises what the first refused write means, in the order given; `WriteConflictError` when other
        transactions stood in the way for all tries. botocore adds the ClientRequestToken that makes
        its own repeats harmless.
        """
        items = [{write.kind(): write.request()} for write in writes]
        for attempt in range(MAX_TRANSACTION_TRIES):
            try:
                self._client.transact_write_items(TransactItems=items)  # type: ignore[arg-type]
            except ClientError as exc:
                if not _is_collision(exc, writes):
                    raise
                self._sleep(_wait_s(attempt))
            else:
                return
        raise WriteConflictError

    def query(
        self,
        table: str,
        condition: str,
        values: Mapping[str, Any],
        *,
        index: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Item]:
        """Give the rows of one partition in key order, at most `limit` of them."""
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": to_attributes(values),
        }
        # A global secondary index cannot be read consistently.
        request |= {"IndexName": index} if index else {"ConsistentRead": True}
        return self._pages(self._client.query, request, limit)

    def scan(self, table: str) -> Iterator[Item]:
        """Give every row of a table, page by page; for audits only."""
        return self._pages(self._client.scan, {"TableName": table, "ConsistentRead": True}, None)

    def _pages(self, call: Callable[..., Any], request: dict[str, Any], limit: int | None) -> Iterator[Item]:
        left = limit
        while True:
            page_size = PAGE_SIZE if left is None else min(left, PAGE_SIZE)
            answer = call(**request, Limit=page_size)
            yield from (from_attributes(found) for found in answer["Items"])
            left = None if left is None else left - len(answer["Items"])
            if "LastEvaluatedKey" not in answer or left == 0:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _wait_s(attempt: int) -> float:
    """Full jitter under a doubling ceiling, so that colliding writers spread out."""
    return random.uniform(0, min(MAX_WAIT_S, FIRST_WAIT_S * 2**attempt))  # noqa: S311 - not a secret


def _found(response: Mapping[str, Any]) -> Item | None:
    found = response.get("Item")
    return None if not found else from_attributes(found)


def _is_collision(exc: ClientError, writes: Sequence[Write]) -> bool:
    """Tell a collision (try again) from any other failure; raise the refusal where there is one."""
    code = exc.response["Error"]["Code"]
    if code in _RETRYABLE_CODES:
        return True
    if code != "TransactionCanceledException":
        return False
    # botocore types the error response without the reasons that transactions add to it.
    reasons: list[dict[str, Any]] = exc.response.get("CancellationReasons", [])  # type: ignore[assignment]
    for write, reason in zip(writes, reasons, strict=True):
        if reason.get("Code") == "ConditionalCheckFailed":
            raise write.refused(_found(reason)) from exc
    return any(reason.get("Code") in _RETRYABLE_REASONS for reason in reasons)
