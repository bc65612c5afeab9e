"""DynamoDB on the hot path of text: the same writes as `dynamodb.py`, without an SDK.

A boto3 call costs 560 µs of CPU and blocks the loop; this one costs about a tenth of that.
"""

import asyncio
import json
import random
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.kit.aws_json import AwsJson
from tollgate.kit.contention import Obstacle, busy, obstacle
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.rows import Item, from_attributes, to_attributes
from tollgate.kit.writes import EncodedWrite, Write

# With the waits below at most about 2 s; a request on the hot path does not wait longer for a row.
MAX_ATTEMPTS = 8
FIRST_WAIT_S = 0.02
MAX_WAIT_S = 0.5
FIRST_SERVER_ERROR = 500
OK = 200

_CANCELLED = "TransactionCanceledException"
_REFUSED = "ConditionalCheckFailedException"


class DatabaseError(Exception):
    """DynamoDB could not be asked, or gave an answer that no retry mends."""


class DatabaseBusyError(DatabaseError, StorageBusyError):
    """DynamoDB throttled us, or other writes stood in the way, each time; the customer may try again."""

    def __init__(self, reason: str) -> None:
        StorageBusyError.__init__(self)
        self.add_note(reason)


class AsyncDatabase:
    """The tables of one region."""

    def __init__(self, dynamodb: AwsJson) -> None:
        self._dynamodb = dynamodb

    async def get(self, table: str, key: Item) -> Item | None:
        """Return the row at `key` as it is now, or `None`. Raises `DatabaseError`."""
        request = {"TableName": table, "Key": to_attributes(key), "ConsistentRead": True}
        found = (await self._call("GetItem", request)).get("Item")
        return None if found is None else from_attributes(found)

    async def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return rows that there are for sure, as they were at one moment. Raises `DatabaseError`."""
        items = [{"Get": {"TableName": table, "Key": to_attributes(key)}} for key in keys]
        for attempt in range(MAX_ATTEMPTS):
            try:
                answer = await self._call("TransactGetItems", {"TransactItems": items})
            except _CancelledError as cancelled:
                if obstacle(_CANCELLED, cancelled.reasons) is None:
                    raise DatabaseError(f"TransactGetItems: {cancelled.reasons}") from None
                await asyncio.sleep(_wait_s(attempt))
            else:
                return [from_attributes(found["Item"]) for found in answer["Responses"]]
        raise _busy("TransactGetItems", items[0]["Get"], Obstacle.CONFLICT)

    async def write(self, write: Write | EncodedWrite) -> Item | None:
        """Do one write; return the row as it is then, where the write `returns` it.

        Raises what `write.refused` gives when its condition fails, or `DatabaseError`.

        A write whose answer was lost is sent again; `write.repeated` then tells it from a refusal.
        """
        if isinstance(write, EncodedWrite):
            operation: str = write.operation
            request: Mapping[str, Any] | str = write.text
        else:
            operation, request = f"{write.kind()}Item", write.request()
        try:
            answer = await self._call(operation, request)
        except _RefusedError as refusal:
            found = refusal.item
            if found is None or not write.repeated(found):
                raise write.refused(found) from None
            return found
        row = answer.get("Attributes")
        return None if row is None else from_attributes(row)

    async def transact(self, writes: Sequence[Write]) -> None:
        """Do all writes or none. Raises what the first refused write means, or `DatabaseError`."""
        items: list[dict[str, dict[str, Any]]] = [{write.kind(): write.request()} for write in writes]
        found: Obstacle | None = None
        for attempt in range(MAX_ATTEMPTS):
            # A try that was cancelled did nothing, so the next one is a transaction of its own; one whose
            # answer got lost is asked for again inside `_call`, under the same token.
            request = {"TransactItems": items, "ClientRequestToken": str(uuid.uuid4())}
            try:
                await self._call("TransactWriteItems", request)
            except _CancelledError as cancelled:
                _raise_refusal(cancelled.reasons, writes)
                found = obstacle(_CANCELLED, cancelled.reasons)
                if found is None:
                    raise DatabaseError(f"TransactWriteItems: {cancelled.reasons}") from None
                await asyncio.sleep(_wait_s(attempt))
            else:
                return
        raise _busy("TransactWriteItems", items[0][writes[0].kind()], found or Obstacle.CONFLICT)

    async def _call(self, operation: str, request: Mapping[str, Any] | str) -> dict[str, Any]:
        last = "no answer"
        for attempt in range(MAX_ATTEMPTS):
            try:
                status, answer = await self._dynamodb.call(operation, request)
            except (OSError, ValueError) as exc:
                last = repr(exc)
            else:
                if status == OK:
                    return answer
                last = str(answer.get("__type", "")).rpartition("#")[2]
                if last == _REFUSED:
                    raise _RefusedError(answer.get("Item"))
                if last == _CANCELLED:
                    raise _CancelledError(answer.get("CancellationReasons", []))
                if obstacle(last) is None and status < FIRST_SERVER_ERROR:
                    break
            await asyncio.sleep(_wait_s(attempt))
        if (found := obstacle(last)) is not None:
            raise _busy(operation, request, found)
        raise DatabaseError(f"{operation}: {last}")


def _busy(operation: str, sent: Mapping[str, Any] | str, last: Obstacle) -> DatabaseBusyError:
    """Return the error of a request that never got through, after saying so; it names the row."""
    request: Mapping[str, Any] = json.loads(sent) if isinstance(sent, str) else sent
    row = from_attributes(request.get("Key") or request.get("Item") or {})
    busy(operation, request.get("TableName", ""), row, last)
    return DatabaseBusyError(f"{operation}: {last.value}")


def _wait_s(attempt: int) -> float:
    """Full jitter under a doubling ceiling."""
    return random.uniform(0, min(MAX_WAIT_S, FIRST_WAIT_S * 2**attempt))  # noqa: S311 - not a secret


def _raise_refusal(reasons: Sequence[Mapping[str, Any]], writes: Sequence[Write]) -> None:
    """Raise what a cancelled transaction means for the first write whose condition failed, if one did."""
    for write, reason in zip(writes, reasons, strict=True):
        if reason.get("Code") == "ConditionalCheckFailed":
            raise write.refused(_RefusedError(reason.get("Item")).item)


class _CancelledError(Exception):
    """A transaction did nothing; `reasons` has one entry for each of its writes."""

    def __init__(self, reasons: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("cancelled")
        self.reasons = reasons


class _RefusedError(Exception):
    """A condition did not hold; `item` is the row as it is."""

    def __init__(self, item: Mapping[str, Any] | None) -> None:
        super().__init__("refused")
        self.item = None if not item else from_attributes(item)
