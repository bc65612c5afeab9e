"""Turns problems of an input into sentences for a page, without JSON pointers."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem

# A reader corrects the first problems before reading more than these.
MAX_SAID = 5
MAX_POSITION = 9_999
NO_LABELS: Mapping[str, str] = MappingProxyType({})
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def in_words(problems: Iterable[Problem], *, beside: int = 0, labels: Mapping[str, str] = NO_LABELS) -> str:
    """Return problems as sentences, each with its field.

    `beside` is the number of path segments that the page already shows, because the message is next to that
    field. `labels` are the page's names of fields, if they differ.
    """
    said = [_said(problem, beside, labels) for problem in problems]
    more = [f"And {len(said) - MAX_SAID} more."] if len(said) > MAX_SAID else []
    return " ".join([*said[:MAX_SAID], *more])


def by_field(problems: Iterable[Problem]) -> dict[str, str]:
    """Return the sentences for each field, by the last part of its path, to be shown beside the field."""
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        found.setdefault(problem.path.rpartition("/")[2], []).append(problem)
    return {name: in_words(some, beside=some[0].path.count("/")) for name, some in found.items()}


def _said(problem: Problem, beside: int, labels: Mapping[str, str]) -> str:
    parts = problem.path.split("/")[1 + beside :]
    where = ", ".join(labels.get(part) or _name(part) for part in parts)
    where = f"{where[0].upper()}{where[1:]}: " if where else ""
    allowed = problem.allowed
    choices = ", ".join(map(str, allowed)) if isinstance(allowed, list) else allowed
    is_said = not choices or choices in problem.message
    return f"{where}{problem.message}" + ("" if is_said else f" Allowed: {choices}.")


def _name(segment: str) -> str:
    """Return a segment of a path in words: `allowedIps` is `allowed ips`, the first of a list is `item 1`."""
    position = digits(segment, 0, MAX_POSITION)
    return _NEW_WORD.sub(" ", segment).lower() if position is None else f"item {position + 1}"
