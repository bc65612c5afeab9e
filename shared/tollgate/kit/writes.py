"""Conditional writes with named refusals, as values: whichever client carries them out. Pure."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from tollgate.kit.expressions import (
    Add,
    Below,
    Change,
    Condition,
    Equals,
    Exists,
    Missing,
    Placeholders,
    render_update,
)
from tollgate.kit.rows import Item, from_attributes, to_attributes

Refused = Callable[[Item | None], Exception]


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
    refused: Refused = _unexpected
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


def put_new(table: str, item: Item, key: str, refused: Refused) -> Write:
    """Return the write of a row that is not there yet, as its attribute `key` tells; refused where it is."""
    is_new = Missing(key)
    return Write(table, item=item, condition=is_new, refused=refused)


def put_as_read(table: str, item: Item, key: str, read_seq: int, refused: Refused) -> Write:
    """Return the write of a whole row as it was read, with `read_seq` or 0 for none; refused if it moved on.

    The `seq` of `item` is another one, or the next writer would not see this write.
    """
    nobody_wrote_since = Equals("seq", read_seq) if read_seq else Missing(key)
    return Write(table, item=item, condition=nobody_wrote_since, refused=refused)


def count_one(table: str, key: Item, counter: str, *, most: int, start: int, refused: Refused) -> Write:
    """Return the write that counts one more in a row, up to `most`; refused there, and where there is no row.

    A row that never counted has `start`.
    """
    # An update would make a row where there is none.
    is_there = Exists(next(iter(key)))
    never_counted, has_room = Missing(counter), Below(counter, most)
    return Write(
        table,
        key=key,
        update=(Add(counter, 1, start=start),),
        condition=is_there & (never_counted | has_room),
        refused=refused,
    )


class EncodedWrite(NamedTuple):
    """A single write whose request is JSON `text` already; the rest is that of `Write`.

    For the hot path of text: a class of the plainest kind, as one is made for each write.
    """

    operation: Literal["PutItem", "UpdateItem"]
    text: str
    refused: Refused
    repeated: Callable[[Item], bool] = _never

    def kind(self) -> Literal["Put", "Update"]:
        """Return which operation this is."""
        return "Put" if self.operation == "PutItem" else "Update"

    def request(self) -> dict[str, Any]:
        """Return the write as DynamoDB wants it, for a client that takes no text."""
        request: dict[str, Any] = json.loads(self.text)
        return request

    @property
    def table(self) -> str:
        """Return the table's name, which such a client says with what went wrong."""
        name: str = self.request()["TableName"]
        return name

    @property
    def key(self) -> Item:
        """Return the row's key, or the row that is put, for the same end."""
        request = self.request()
        return from_attributes(request.get("Key") or request["Item"])
