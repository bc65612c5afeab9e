"""The changes and conditions of a write, and the conditions of a query, as values.

Only this module turns them into DynamoDB's expressions. Pure.

    Add("balance_micro_usd", -5), Remove(("holds", "req_1"))      an update is any number of changes
    AtLeast("balance_micro_usd", 5) & (Missing("n") | Below("n", 3))     a condition is one value

Callers extend a write by adding changes and conditions. No caller edits text, so an OR never stands beside an
AND without its parentheses. Every name becomes a placeholder, because DynamoDB reserves 573 words and reads a
dot in a name as a path.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, ClassVar, cast

from tollgate.kit.dynamodb.rows import Item, attribute_text, from_attributes, to_attribute


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a value, or of a step of a path, in a template (`templates.py`)."""

    name: str


# An attribute by its name, or the way into one: `("holds", "req_1", "amount")`, `("secrets", 0)`.
Path = str | tuple[str | int | Slot, ...]


@dataclass(slots=True)
class Size:
    """The number of entries in the list or map at a path. A condition can compare it like a path."""

    path: Path


class Placeholders:
    """The names and values of one request, each under the placeholder that its expressions have."""

    __slots__ = ("_names", "values")

    def __init__(self) -> None:
        self._names: dict[str | Slot, str] = {}
        self.values: dict[str, str] = {}
        """In DynamoDB's typed form, as JSON, by placeholder."""

    @property
    def names(self) -> dict[str, str]:
        """Return the names by placeholder."""
        return {placeholder: cast("str", name) for name, placeholder in self._names.items()}

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the values in DynamoDB's typed form, by placeholder."""
        return {placeholder: json.loads(text) for placeholder, text in self.values.items()}

    def parts(self) -> Iterator[str]:
        """Return the members of a request that tell the names and the values, as JSON."""
        if self._names:
            names = ",".join(
                [f'"{placeholder}":{self.quoted(name)}' for name, placeholder in self._names.items()]
            )
            yield f'"ExpressionAttributeNames":{{{names}}}'
        if self.values:
            values = ",".join([f'"{placeholder}":{text}' for placeholder, text in self.values.items()])
            yield f'"ExpressionAttributeValues":{{{values}}}'

    def quoted(self, name: str | Slot) -> str:
        """Return a name as JSON. Only a template has slots."""
        return quoted(cast("str", name))

    def operand(self, of: Path | Size | Slot) -> str:
        """Return a path, or a size, with placeholders."""
        if isinstance(of, str | Slot):
            placeholder = self._names.get(of)
            if placeholder is None:
                placeholder = self._names[of] = f"#n{len(self._names)}"
            return placeholder
        if isinstance(of, Size):
            return f"size({self.operand(of.path)})"
        steps = [f"[{step}]" if isinstance(step, int) else f".{self.operand(step)}" for step in of]
        return "".join(steps)[1:]

    def value(self, plain: Any) -> str:
        """Return the placeholder of a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = attribute_text(plain)
        return placeholder


class Change:
    """One change of a row by an update. Two changes of the same update may not touch the same path."""

    __slots__ = ()
    clause: ClassVar[str] = "SET"

    def render(self, to: Placeholders) -> str:
        """Return the change in the syntax of its clause."""
        raise NotImplementedError


class RepeatableChange(Change):
    """A change that a repeat leaves as it is: doing it twice equals doing it once."""

    __slots__ = ()

    def is_done(self, row: Item) -> bool:
        """Return whether a row is as this change leaves it."""
        raise NotImplementedError


_NOTHING = object()


def _at(row: Any, path: Path) -> Any:
    """Return the value at a path, or `_NOTHING`."""
    found = row
    for step in (path,) if isinstance(path, str) else path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return _NOTHING
    return found


def is_done(changes: Iterable[RepeatableChange], row: Item) -> bool:
    """Return whether a row, in plain values, is as all these changes leave it."""
    return all(change.is_done(row) for change in changes)


@dataclass(slots=True)
class Set(RepeatableChange):
    """Sets the value at a path."""

    path: Path
    value: Any

    def is_done(self, row: Item) -> bool:
        """Return whether the path has this value."""
        return bool(_at(row, self.path) == from_attributes({"value": to_attribute(self.value)})["value"])

    def render(self, to: Placeholders) -> str:
        """Return `path = value`."""
        return f"{to.operand(self.path)} = {to.value(self.value)}"


@dataclass(slots=True)
class SetIfMissing(RepeatableChange):
    """Sets an attribute only if it has no value yet."""

    path: Path
    value: Any

    def is_done(self, row: Item) -> bool:
        """Return whether there is a value."""
        return _at(row, self.path) is not _NOTHING

    def render(self, to: Placeholders) -> str:
        """Return `path = if_not_exists(path, value)`."""
        path = to.operand(self.path)
        return f"{path} = if_not_exists({path}, {to.value(self.value)})"


@dataclass(slots=True)
class Add(Change):
    """Adds `amount`, which may be negative, to a number.

    A missing number counts as `start`. Without a `start`, DynamoDB refuses the write as invalid.
    """

    path: Path
    amount: int | Slot
    start: int | Slot | None = None

    def render(self, to: Placeholders) -> str:
        """Return `path = path + amount`."""
        path = to.operand(self.path)
        read = path if self.start is None else f"if_not_exists({path}, {to.value(self.start)})"
        return f"{path} = {read} + {to.value(self.amount)}"


@dataclass(slots=True)
class Remove(RepeatableChange):
    """Removes an attribute. A missing attribute is no error."""

    path: Path
    clause: ClassVar[str] = "REMOVE"

    def is_done(self, row: Item) -> bool:
        """Return whether nothing is there."""
        return _at(row, self.path) is _NOTHING

    def render(self, to: Placeholders) -> str:
        """Return the path."""
        return to.operand(self.path)


def render_update(changes: Iterable[Change], to: Placeholders) -> str:
    """Return an update expression: each clause once."""
    clauses: dict[str, list[str]] = {}
    for change in changes:
        clauses.setdefault(change.clause, []).append(change.render(to))
    return " ".join([f"{clause} {', '.join(parts)}" for clause, parts in clauses.items()])


class Condition:
    """A condition on a row: for a write to be done, or for a query to return the row."""

    __slots__ = ()

    def render(self, to: Placeholders) -> str:
        """Return the condition, in parentheses if it has several parts."""
        raise NotImplementedError

    def __and__(self, other: "Condition") -> "Condition":
        """Return the condition that both hold."""
        return AllOf(self, other)

    def __or__(self, other: "Condition") -> "Condition":
        """Return the condition that at least one holds."""
        return AnyOf(self, other)


@dataclass(slots=True)
class _Comparison(Condition):
    """Compares the value at a path. A missing value fails every comparison."""

    path: Path | Size
    value: Any
    sign: ClassVar[str]

    def render(self, to: Placeholders) -> str:
        """Return `path sign value`."""
        return f"{to.operand(self.path)} {self.sign} {to.value(self.value)}"


class Equals(_Comparison):
    """It is this value."""

    __slots__ = ()
    sign = "="


class Below(_Comparison):
    """It is less than this value."""

    __slots__ = ()
    sign = "<"


class AtMost(_Comparison):
    """It is this value or less."""

    __slots__ = ()
    sign = "<="


class AtLeast(_Comparison):
    """It is this value or more."""

    __slots__ = ()
    sign = ">="


@dataclass(slots=True)
class Between(Condition):
    """The value is between two values, inclusive."""

    path: Path | Size
    first: Any
    last: Any

    def render(self, to: Placeholders) -> str:
        """Return `path BETWEEN first AND last`."""
        return f"{to.operand(self.path)} BETWEEN {to.value(self.first)} AND {to.value(self.last)}"


@dataclass(slots=True)
class BeginsWith(Condition):
    """It is a text that begins with this one."""

    path: Path
    beginning: str

    def render(self, to: Placeholders) -> str:
        """Return `begins_with(path, beginning)`."""
        return f"begins_with({to.operand(self.path)}, {to.value(self.beginning)})"


@dataclass(slots=True)
class Exists(Condition):
    """There is something at the path."""

    path: Path

    def render(self, to: Placeholders) -> str:
        """Return `attribute_exists(path)`."""
        return f"attribute_exists({to.operand(self.path)})"


@dataclass(slots=True)
class Missing(Condition):
    """There is nothing at the path."""

    path: Path

    def render(self, to: Placeholders) -> str:
        """Return `attribute_not_exists(path)`."""
        return f"attribute_not_exists({to.operand(self.path)})"


class _Group(Condition):
    """Several conditions, joined by one word."""

    __slots__ = ("parts",)
    word: ClassVar[str]

    def __init__(self, *parts: Condition) -> None:
        if not parts:
            raise ValueError("a group of no conditions says nothing")
        joined: list[Condition] = []
        for part in parts:
            # `a & b & c` is one group of three.
            joined += part.parts if isinstance(part, _Group) and part.word == self.word else (part,)
        self.parts: tuple[Condition, ...] = tuple(joined)

    def render(self, to: Placeholders) -> str:
        """Return the parts, in parentheses: DynamoDB takes them once around a group, and not twice."""
        if len(self.parts) == 1:
            return self.parts[0].render(to)
        return f"({self.word.join([part.render(to) for part in self.parts])})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.parts!r}"


class AllOf(_Group):
    """All the conditions hold."""

    __slots__ = ()
    word = " AND "


class AnyOf(_Group):
    """At least one condition holds."""

    __slots__ = ()
    word = " OR "
