"""Checks of the types of fields in a body, before a provider gets it. Pure.

A check yields the problems of a value at a JSON pointer. Fields that no check names are left to others.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tollgate.kit.problems import Problem, one_of, pointer_step

Check = Callable[[Any, str], Iterator[Problem]]
Checks = Mapping[str, Check]


def _typed(types: type | tuple[type, ...], words: str) -> Check:
    def check(value: Any, path: str) -> Iterator[Problem]:
        # To Python, true is a number too.
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            yield Problem(path, f"Must be {words}.")

    return check


TEXT = _typed(str, "a string")
FLAG = _typed(bool, "true or false")
WHOLE = _typed(int, "a whole number")
NUMBER = _typed((int, float), "a number")
OBJECT = _typed(dict, "an object")
LIST = _typed(list, "a list")


def filled(value: Any, path: str) -> Iterator[Problem]:
    """Yield the problem of a value that is no text, or an empty one."""
    if not isinstance(value, str) or not value:
        yield Problem(path, "Must be a string that is not empty.")


def one_text_of(*names: str) -> Check:
    """Return the check of a text with a fixed set of values."""

    def check(value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, str) or value not in names:
            yield one_of(path, names)

    return check


def within(least: float, most: float) -> Check:
    """Return the check of a number with bounds."""

    def check(value: Any, path: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(path, "Must be a number.")
        elif not least <= value <= most:
            allowed = f"{least} to {most}"
            yield Problem(path, f"Must be a number, {allowed}.", allowed)

    return check


def each(check: Check) -> Check:
    """Return the check of a list by the check of its members."""

    def check_all(value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield Problem(path, "Must be a list.")
            return
        for at, one in enumerate(value):
            yield from check(one, f"{path}/{at}")

    return check_all


def values(check: Check) -> Check:
    """Return the check of an object with any names by the check of its values."""

    def check_all(value: Any, path: str) -> Iterator[Problem]:
        yield from OBJECT(value, path)
        for name, one in value.items() if isinstance(value, dict) else ():
            yield from check(one, f"{path}/{pointer_step(name)}")

    return check_all


def text_or(check: Check, words: str) -> Check:
    """Return the check of a value that may be a text, or a list or an object that has its own check."""

    def check_either(value: Any, path: str) -> Iterator[Problem]:
        if isinstance(value, list | dict):
            yield from check(value, path)
        elif not isinstance(value, str):
            yield Problem(path, f"Must be a string or {words}.")

    return check_either


def fields(needed: Checks, others: Checks) -> Check:
    """Return the check of an object: fields that it needs, and fields that it can have. Null is no value."""

    def check(value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield Problem(path, "Must be an object.")
            return
        for name, inner in needed.items():
            if value.get(name) is None:
                yield Problem(f"{path}/{name}", "Required.")
            else:
                yield from inner(value[name], f"{path}/{name}")
        for name, inner in others.items():
            if name not in needed and value.get(name) is not None:
                yield from inner(value[name], f"{path}/{name}")

    return check


def by_type(kinds: Checks, *, takes_others: bool = False) -> Check:
    """Return the check of an object by its `type`. `takes_others`: unknown types are left to others."""

    def check(value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield Problem(path, "Must be an object with a type.", list(kinds))
            return
        kind = value.get("type")
        if isinstance(kind, str) and kind in kinds:
            yield from kinds[kind](value, path)
        elif not (takes_others and isinstance(kind, str)):
            yield one_of(f"{path}/type", kinds)

    return check
