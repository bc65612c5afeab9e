"""What must hold between the fields of an input. A rule is named after what it protects.

A rule runs as soon as the fields it needs are valid, so its problem comes in the same answer as the
problems of other fields.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import Problem

ROOT = "input"
MAX_POINTER_CHARS = 64


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """An input that its model accepts.

    `values` is plain JSON: normalised, with defaults, without deprecated fields. `given` names the fields
    the customer set; an empty array and a blank string count as left out, and are in neither.
    """

    values: dict[str, Any]
    given: frozenset[str]


RuleCheck = Callable[[CheckedInput], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check across fields: `name` is what it protects, `needs` the fields it reads."""

    name: str
    needs: frozenset[str]
    check: RuleCheck


def rule(*needs: str) -> Callable[[RuleCheck], Rule]:
    """Make a function that yields problems into a `Rule` over the fields it `needs`."""

    def make(check: RuleCheck) -> Rule:
        return Rule(check.__name__, frozenset(needs), check)

    return make


def required_unless(field: str, *others: str) -> Rule:
    """Require `field` unless the customer gave one of `others`."""

    def check(given: CheckedInput) -> Iterator[Problem]:
        if given.given.isdisjoint((field, *others)):
            yield Problem(at(field), f"Required unless {_or(others)} is given.")

    return Rule(f"{field}_required_unless_{'_or_'.join(others)}", frozenset((field, *others)), check)


def not_together(field: str, *others: str) -> Rule:
    """Refuse `field` beside any of `others`."""

    def check(given: CheckedInput) -> Iterator[Problem]:
        if field not in given.given:
            return
        for other in others:
            if other in given.given:
                yield Problem(at(field), f"Cannot be combined with {other}.")

    return Rule(f"{field}_not_with_{'_or_'.join(others)}", frozenset((field, *others)), check)


def at(*steps: str | int) -> str:
    """Give the JSON pointer (RFC 6901) of a field of the input, from the body's root."""
    return "".join(f"/{_pointer_step(step)}" for step in (ROOT, *steps))


def printable(name: str) -> str:
    """Give a customer's own name in a form that can stand in our answer: valid Unicode, not too long."""
    return name[:MAX_POINTER_CHARS].encode("utf-8", "replace").decode()


def _pointer_step(step: str | int) -> str:
    return printable(str(step)).replace("~", "~0").replace("/", "~1")


def _or(names: tuple[str, ...]) -> str:
    return " or ".join(names)
