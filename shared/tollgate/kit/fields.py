"""The fields of a request's body, each read by its own function, with every problem at once. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, not_whole

Readers = Mapping[str, tuple[str, Callable[[Any], Any]]]
"""By the name in a body: the name of the result, and the function that reads the value.

The function raises `InvalidInputError` with the problems of its field.
"""


def read_fields(body: Mapping[str, Any], readers: Readers) -> tuple[dict[str, Any], list[Problem]]:
    """Return the fields that a body has, by the names of their results, and all their problems."""
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, (field, read) in readers.items():
        if name in body:
            try:
                found[field] = read(body[name])
            except InvalidInputError as exc:
                problems += exc.problems
    return found, problems


def number_within(path: str, value: Any, least: int, most: int) -> int:
    """Return a whole number. Raises `InvalidInputError` for all else, and for a number outside the bounds."""
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise InvalidInputError([not_whole(path, least, most)])
    return number
