"""What a field can become at a provider, beside another name: checked, translated, or left out. Pure.

Each returns the word of a field for the tables of `fields.py`. A value that the provider cannot take is
refused with `CannotMapError`, so another route gets the job.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.providers.mapping.fields import Body, FieldTarget
from tollgate.providers.mapping.images import CannotMapError

# The largest seed of most vendors; ours go higher.
INT32_MAX = 2**31 - 1


def translated(name: str, table: Mapping[Any, Any]) -> FieldTarget:
    """Return the word of a field whose values have other names there; a value not in `table` is refused."""

    def word(value: Any) -> Body:
        if value not in table:
            raise CannotMapError(f"{name} cannot be {value!r}")
        return {name: table[value]}

    return word


def one_of(name: str, *values: Any) -> FieldTarget:
    """Return the word of a field of which the provider takes these values only."""
    return translated(name, {value: value for value in values})


def as_text(name: str) -> FieldTarget:
    """Return the word of a number that the provider wants as text."""
    return lambda value: {name: str(value)}


def upper(name: str) -> FieldTarget:
    """Return the word of a text that the provider wants in capitals."""
    return lambda value: {name: value.upper()}


def lower(name: str) -> FieldTarget:
    """Return the word of a text that the provider wants in small letters."""
    return lambda value: {name: value.lower()}


def at_most(name: str, most: int) -> FieldTarget:
    """Return the word of a number, or of a text or an array by its length, that the provider bounds."""

    def word(value: Any) -> Body:
        size = value if isinstance(value, int) else len(value)
        if size > most:
            raise CannotMapError(f"{name} is more than {most}")
        return {name: value}

    return word


def one_each(*names: str) -> FieldTarget:
    """The word of an array whose items have fields of their own: the first one `names[0]`, and so on."""

    def word(value: Sequence[Any]) -> Body:
        if len(value) > len(names):
            raise CannotMapError(f"{len(value)} items, where {len(names)} are the most")
        return dict(zip(names, value, strict=False))

    return word


def first(name: str) -> FieldTarget:
    """Return the word of an array of which only the first item counts."""
    return lambda value: {name: value[0]}


def accept_only(*values: Any) -> FieldTarget:
    """Return the word of a field that the provider has not, and whose `values` are what it does anyway."""

    def word(value: Any) -> Body:
        if value not in values:
            raise CannotMapError(f"{value!r} where only {values} can be had")
        return {}

    return word


def ignored(_: Any) -> Body:
    """Be the word of a field that says nothing here: ignored by contract, or said in another way."""
    return {}
