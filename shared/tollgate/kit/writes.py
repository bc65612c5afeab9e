"""Conditional writes with named refusals, as values: whichever client carries them out. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tollgate.kit.expressions import Change, Condition, Placeholders, render_update
from tollgate.kit.rows import Item, to_attributes


def _unexpected(_: Item | None) -> Exception:
    return AssertionError("a write without a condition was refused")


def _never(_: Item) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Write:
    """One write, alone or as a part of a transaction.

    `key` and the changes of `update` make an UpdateItem, `item` a PutItem. `refused` turns the row that was
    found (or `None`) into the error that a failed `condition` means.
    """

    table: str
    item: Item | None = None
    key: Item | None = None
    update: Sequence[Change] = ()
    condition: Condition | None = None
    refused: Callable[[Item | None], Exception] = _unexpected
    repeated: Callable[[Item], bool] = _never
    """Whether, by the row found, this very write was done before and only its answer was lost.
    botocore sends a write again when no answer came; a transaction has a ClientRequestToken for that,
    a single write has this."""
    returns: bool = False
    """Whether the row as it is after an update is wanted. A part of a transaction gives none."""

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
        placeholders = Placeholders()
        if self.update:
            request["UpdateExpression"] = render_update(self.update, placeholders)
        if self.condition is not None:
            request["ConditionExpression"] = self.condition.render(placeholders)
        if names := placeholders.names:
            request["ExpressionAttributeNames"] = names
        if placeholders.values:
            request["ExpressionAttributeValues"] = placeholders.values
        if self.returns:
            request["ReturnValues"] = "ALL_NEW"
        return request

    def also(self, *changes: Change, condition: Condition | None = None) -> "Write":
        """Return the write that makes these changes of the same row as well, where this holds as well."""
        both = self.condition if condition is None else condition
        if condition is not None and self.condition is not None:
            both = self.condition & condition
        update = (*self.update, *changes)
        return replace(self, update=update, condition=both)
