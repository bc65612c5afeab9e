"""Conditional writes with named refusals, as values: whichever client carries them out. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tollgate.kit.rows import Item, to_attributes


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
    """Whether, by the row found, this very write was done before and only its answer was lost.
    botocore sends a write again when no answer came; a transaction has a ClientRequestToken for that,
    a single write has this."""

    def kind(self) -> Literal["Put", "Update"]:
        """Return which operation this is."""
        return "Put" if self.item is not None else "Update"

    def request(self) -> dict[str, Any]:
        """Return the write as DynamoDB wants it, alike for a single call and inside a transaction."""
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
