"""Conditional writes with named refusals, as values that any client can carry out. Pure.

The response to a write can be lost after DynamoDB carried the write out, and then the write is sent again.
The types state which writes may be repeated without harm:

    TransactWrite        one write of a transaction
    ├── CountingWrite    adds to numbers: only a transaction carries it, because that has a token
    └── SingleWrite      outside a transaction: doing it twice equals doing it once
        ├── Write        puts a row, or sets and removes attributes
        └── MarkedWrite  adds to numbers, and leaves or takes a mark that only this write leaves or takes

`tests/unit/kit/test_repeats.py` checks every write of the code.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Literal, TypeVar

from tollgate.kit.dynamodb.expressions import (
    Add,
    Below,
    Change,
    Condition,
    Equals,
    Exists,
    Missing,
    Path,
    Placeholders,
    Remove,
    RepeatableChange,
    Set,
    is_done,
    render_update,
)
from tollgate.kit.dynamodb.rows import Item, attributes_text, from_attributes, to_attributes

Refused = Callable[[Item | None], Exception]
Foresees = Callable[[Item | None], Exception | None]


# Asks for the row that a failed condition found.
FOUND = '"ReturnValuesOnConditionCheckFailure":"ALL_OLD"'


def unexpected(_: Item | None) -> Exception:
    """Return the error of a write that has no condition, and was refused."""
    return AssertionError("a write without a condition was refused")


@dataclass(frozen=True, slots=True)
class TransactWrite:
    """One write of a transaction.

    `key` and the changes of `update` create an UpdateItem, and `item` creates a PutItem. `refused` turns the
    row that was found (or `None`) into the error that a failed `condition` means.
    """

    table: str
    item: Item | None = None
    key: Item | None = None
    update: Sequence[Change] = ()
    condition: Condition | None = None
    refused: Refused = unexpected
    foresees: Foresees | None = None
    """Given the row as it is now, returns the error by which the condition would be refused, if it would."""

    def kind(self) -> Literal["Put", "Update"]:
        """Return which operation this is."""
        return "Put" if self.item is not None else "Update"

    @property
    def row(self) -> Item:
        """Return the key of the row, or the row that is put, for logs."""
        return self.key or self.item or {}

    def parts(self) -> tuple[Sequence[Change], Condition | None]:
        """Return all changes of an update, and the whole condition."""
        return self.update, self.condition

    def request(self) -> dict[str, Any]:
        """Return the same as `text`, decoded."""
        request: dict[str, Any] = json.loads(self.text())
        return request

    def text(self) -> str:
        """Return the write in DynamoDB's form, as JSON: for a transaction, or a call that returns no row."""
        changes, condition = self.parts()
        to, members = Placeholders(), [f'"TableName":{quoted(self.table)}', FOUND]
        if self.item is not None:
            members.append(f'"Item":{attributes_text(self.item)}')
        if self.key is not None:
            members.append(f'"Key":{attributes_text(self.key)}')
        # Expressions have only placeholders, so nothing in them needs an escape.
        if changes:
            members.append(f'"UpdateExpression":"{render_update(changes, to)}"')
        if condition is not None:
            members.append(f'"ConditionExpression":"{condition.render(to)}"')
        return f"{{{','.join([*members, *to.parts()])}}}"


@dataclass(frozen=True, slots=True)
class CountingWrite(TransactWrite):
    """A write that adds to numbers without a mark. Only a transaction may carry it."""


@dataclass(frozen=True, slots=True)
class SingleWrite(TransactWrite):
    """A write that may also be sent outside a transaction, because doing it twice equals doing it once."""

    returns: bool = False
    """Whether to return the row after an update. A transaction returns no rows."""

    def is_done(self, found: Item) -> bool:
        """Return whether a refused write was carried out before, judged by the row `found`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Write(SingleWrite):
    """A row that is put, or attributes that are set or removed.

    A write that gives its caller something exclusive (a lease, a turn) puts a unique id into the row, so that
    two callers never write the same values.
    """

    update: Sequence[RepeatableChange] = ()

    def is_done(self, found: Item) -> bool:
        """Return whether the row has all the values of this write: then it was carried out before."""
        if self.item is not None:
            return found == from_attributes(to_attributes(self.item))
        return is_done(self.update, found)


@dataclass(frozen=True, slots=True)
class Mark:
    """The change by which a write marks its row, and the condition that this has not happened yet."""

    change: RepeatableChange
    not_yet: Condition
    tells: bool
    """Whether the row shows that this very write left the mark. A mark that is gone could have been taken
    by another writer."""

    def shows_in(self, found: Item) -> bool:
        """Return whether a row shows that this very write left the mark."""
        return self.tells and self.change.is_done(found)


def leave(path: Path, value: Any) -> Mark:
    """Return the mark of a write that sets `path`, which no other write sets."""
    return Mark(Set(path, value), Missing(path), tells=True)


def take(path: Path) -> Mark:
    """Return the mark of a write that removes `path`, which is never set again."""
    return Mark(Remove(path), Exists(path), tells=False)


def marked(
    update: Sequence[Change], condition: Condition | None, mark: Mark
) -> tuple[Sequence[Change], Condition]:
    """Return the changes and the condition of an update together with its mark."""
    return (*update, mark.change), mark.not_yet if condition is None else condition & mark.not_yet


@dataclass(frozen=True, slots=True)
class MarkedWrite(SingleWrite):
    """An update that adds to numbers, once: the `mark` is a part of its changes and of its condition."""

    mark: Mark = field(kw_only=True)

    def is_done(self, found: Item) -> bool:
        """Return whether the row has the mark that this write leaves."""
        return self.mark.shows_in(found)

    def parts(self) -> tuple[Sequence[Change], Condition | None]:
        """Return all changes of the update, and the whole condition: the mark is a part of both."""
        return marked(self.update, self.condition, self.mark)


Counts = TypeVar("Counts", CountingWrite, MarkedWrite)


def with_changes(write: Counts, *changes: Change, condition: Condition | None = None) -> Counts:
    """Return a write that makes these changes of its row as well, if `condition` holds as well."""
    both = write.condition if condition is None else condition
    if condition is not None and write.condition is not None:
        both = write.condition & condition
    return replace(write, update=(*write.update, *changes), condition=both)


def put_new(table: str, item: Item, key: str, refused: Refused) -> Write:
    """Return the write of a new row. It is refused if the row is there, shown by its attribute `key`."""
    is_new = Missing(key)
    return Write(table, item=item, condition=is_new, refused=refused)


def put_if_unchanged(table: str, item: Item, key: str, read_seq: int, refused: Refused) -> Write:
    """Return the write of a whole row that was read with `read_seq` (0: there was none).

    It is refused if the row was written since. The `seq` of `item` is a new one, so that the next writer
    sees this write.
    """
    nobody_wrote_since = Equals("seq", read_seq) if read_seq else Missing(key)
    return Write(table, item=item, condition=nobody_wrote_since, refused=refused)


def count_one(
    table: str, key: Item, counter: str, *, most: int, start: int, refused: Refused
) -> CountingWrite:
    """Return the write that adds one to a counter, up to `most`. It is refused there, and if there is no row.

    A row without the counter has `start`.
    """
    # Without this condition, an update would create a missing row.
    is_there = Exists(next(iter(key)))
    never_counted, has_room = Missing(counter), Below(counter, most)
    return CountingWrite(
        table,
        key=key,
        update=(Add(counter, 1, start=start),),
        condition=is_there & (never_counted | has_room),
        refused=refused,
    )
