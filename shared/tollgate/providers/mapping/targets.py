"""Targets of fields that are more than another name: checked, translated, or left out. Pure.

Each function returns a target for the tables of `fields.py`. The target refuses an unsupported value with
`CannotMapError`, so that another route gets the job.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.providers.mapping.fields import Body, FieldTarget
from tollgate.providers.mapping.images import CannotMapError

# The largest seed of most vendors; Tollgate's contract allows higher values.
INT32_MAX = 2**31 - 1


def translated(name: str, table: Mapping[Any, Any]) -> FieldTarget:
    """Return the target of a field whose values have other names; values outside `table` are refused."""

    def word(value: Any) -> Body:
        if value not in table:
            raise CannotMapError(f"{name} cannot be {value!r}")
        return {name: table[value]}

    return word


def one_of(name: str, *values: Any) -> FieldTarget:
    """Return the target of a field for which the provider supports only these values."""
    return translated(name, {value: value for value in values})


def as_text(name: str) -> FieldTarget:
    """Return the target of a number that the provider requires as text."""
    return lambda value: {name: str(value)}


def upper(name: str) -> FieldTarget:
    """Return the target of a text that the provider requires in capitals."""
    return lambda value: {name: value.upper()}


def lower(name: str) -> FieldTarget:
    """Return the target of a text that the provider requires in lower case."""
    return lambda value: {name: value.lower()}


def at_most(name: str, most: int) -> FieldTarget:
    """Return the target of a number, or of a text or an array by its length, with a maximum."""

    def word(value: Any) -> Body:
        size = value if isinstance(value, int) else len(value)
        if size > most:
            raise CannotMapError(f"{name} is more than {most}")
        return {name: value}

    return word


def at_most_bytes(name: str, most: int) -> FieldTarget:
    """Return the target of a text with a maximum of bytes in UTF-8."""

    def word(value: str) -> Body:
        if len(value.encode()) > most:
            raise CannotMapError(f"{name} has more than {most} bytes")
        return {name: value}

    return word


# The target of a seed at vendors with the usual limit, which the contract's seeds may exceed.
SEED: FieldTarget = at_most("seed", INT32_MAX)


def one_each(*names: str) -> FieldTarget:
    """Return the target of an array whose items have separate fields: first `names[0]`, and so on."""

    def word(value: Sequence[Any]) -> Body:
        if len(value) > len(names):
            raise CannotMapError(f"{len(value)} items, but at most {len(names)} are possible")
        return dict(zip(names, value, strict=False))

    return word


def first(name: str) -> FieldTarget:
    """Return the target of an array of which only the first item is used."""
    return lambda value: {name: value[0]}


def accept_only(*values: Any) -> FieldTarget:
    """Return the target of an unsupported field whose `values` are the provider's fixed behaviour."""

    def word(value: Any) -> Body:
        if value not in values:
            raise CannotMapError(f"{value!r}, but only {values} are possible")
        return {}

    return word


def ignored(_: Any) -> Body:
    """Return an empty body: the target of a field that is irrelevant here, or expressed in another way."""
    return {}
