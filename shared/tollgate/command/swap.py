"""Replaces the rows of one table by the rows of another. Only rows that differ are written."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tollgate.command.errors import CommandError

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# In DynamoDB's format: `{"account_id": {"S": "usr_…"}}`.
Row = dict[str, Any]

# The limits of one BatchGetItem and one BatchWriteItem.
READ_AT_ONCE, WRITTEN_AT_ONCE = 100, 25
# Attempts of one batch, if DynamoDB leaves items unprocessed each time.
MAX_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class SwapCounts:
    """The numbers of rows that were restored and removed. A removed row did not exist at that time."""

    put_back: int
    removed: int


@dataclass(frozen=True, slots=True)
class Swap:
    """Two tables with the same key. `keep` receives every row before it is overwritten or removed."""

    client: "DynamoDBClient"
    keep: Callable[[str, Row], None]

    def run(self, current: str, restored: str) -> SwapCounts:
        """Make the rows of `current` equal to those in `restored`. Run it again if it is interrupted."""
        keys = self._keys(restored)
        put_back = 0
        for rows in self._pages(restored):
            found = self._found(current, rows, keys)
            other = [row for row in rows if found.get(_key(row, keys)) != row]
            for row in other:
                if (before := found.get(_key(row, keys))) is not None:
                    self.keep(current, before)
            self._write(current, [{"PutRequest": {"Item": row}} for row in other])
            put_back += len(other)
        return SwapCounts(put_back, self._remove_others(current, restored, keys))

    def _remove_others(self, current: str, restored: str, keys: Sequence[str]) -> int:
        removed = 0
        for rows in self._pages(current):
            there = self._found(restored, rows, keys)
            newer = [row for row in rows if _key(row, keys) not in there]
            for row in newer:
                self.keep(current, row)
            self._write(current, [{"DeleteRequest": {"Key": {k: row[k] for k in keys}}} for row in newer])
            removed += len(newer)
        return removed

    def _keys(self, table: str) -> list[str]:
        schema = self.client.describe_table(TableName=table)["Table"]["KeySchema"]
        return [each["AttributeName"] for each in schema]

    def _pages(self, table: str) -> Iterator[Sequence[Row]]:
        """Yield all rows, as many at once as one BatchGetItem reads."""
        # Pages of a scan: deleting a row that was read does not move the rows that follow.
        for page in self.client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
            yield from _parts(page["Items"], READ_AT_ONCE)

    def _found(self, table: str, rows: Sequence[Row], keys: Sequence[str]) -> dict[str, Row]:
        """Return the rows of a table that have the keys of `rows`, by key."""
        wanted: Any = {table: {"Keys": [{k: row[k] for k in keys} for row in rows], "ConsistentRead": True}}
        found: dict[str, Row] = {}
        for _ in range(MAX_ATTEMPTS):
            answer = self.client.batch_get_item(RequestItems=wanted)
            found |= {_key(row, keys): row for row in answer["Responses"].get(table, [])}
            wanted = answer.get("UnprocessedKeys")
            if not wanted:
                return found
        raise CommandError(f"{table}: DynamoDB did not complete all reads. Run the same command again.")

    def _write(self, table: str, writes: Sequence[Any]) -> None:
        for batch in _parts(writes, WRITTEN_AT_ONCE):
            left: Any = {table: list(batch)}
            for _ in range(MAX_ATTEMPTS):
                left = self.client.batch_write_item(RequestItems=left).get("UnprocessedItems")
                if not left:
                    break
            else:
                raise CommandError(
                    f"{table}: DynamoDB did not complete all writes. Run the same command again."
                )


def _parts(rows: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), most):
        yield rows[start : start + most]


def _key(row: Row, keys: Sequence[str]) -> str:
    return json.dumps([row[key] for key in keys], sort_keys=True)
