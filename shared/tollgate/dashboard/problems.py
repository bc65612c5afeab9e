"""What is wrong with what was sent, in the words of a page: no pointers into a body that nobody sees."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tollgate.kit.errors import Problem
from tollgate.kit.numbers import digits

# More than these nobody reads before mending the first.
MAX_SAID = 5
MAX_POSITION = 9_999
NO_LABELS: Mapping[str, str] = MappingProxyType({})
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def in_words(problems: Iterable[Problem], *, beside: int = 0, labels: Mapping[str, str] = NO_LABELS) -> str:
    """Return problems as sentences, each with the field it is about.

    `beside` is how much of a path the page shows already, as the message stands beside that field. `labels`
    are what the page calls fields, where that is not their name.
    """
    said = [_said(problem, beside, labels) for problem in problems]
    more = [f"And {len(said) - MAX_SAID} more."] if len(said) > MAX_SAID else []
    return " ".join([*said[:MAX_SAID], *more])


def _said(problem: Problem, beside: int, labels: Mapping[str, str]) -> str:
    parts = problem.path.split("/")[1 + beside :]
    where = ", ".join(labels.get(part) or _name(part) for part in parts)
    where = f"{where[0].upper()}{where[1:]}: " if where else ""
    allowed = problem.allowed
    choices = ", ".join(map(str, allowed)) if isinstance(allowed, list) else allowed
    return f"{where}{problem.message}" + (f" Allowed: {choices}." if choices else "")


def _name(segment: str) -> str:
    """Return a part of a path in words: `allowedIps` is `allowed ips`, the first of a list `item 1`."""
    position = digits(segment, 0, MAX_POSITION)
    return _NEW_WORD.sub(" ", segment).lower() if position is None else f"item {position + 1}"
