"""Directions in a prompt for a test model, e.g. `a cat [[slow 30]]`; the list is site/test-models.md. Pure.

A prompt may have several. Unknown or malformed directions are normal text of the prompt.
"""

import re
from dataclasses import dataclass

_DIRECTION = re.compile(r"\[\[\s*(?:(fail|reject|expire)|(slow|stream-cut)\s+(\d{1,4}))\s*\]\]", re.I)


@dataclass(frozen=True, slots=True)
class Directions:
    """`slow_s` is a wait in seconds before all others; `stream_cut` is the number of words before a break."""

    fail: bool = False
    reject: bool = False
    expire: bool = False
    slow_s: int = 0
    stream_cut: int | None = None


def directions_of(prompt: str) -> Directions:
    """Return the directions in `prompt`; of two numbers for the same direction, the last counts."""
    flags: set[str] = set()
    numbers: dict[str, int] = {}
    for flag, name, number in _DIRECTION.findall(prompt):
        if flag:
            flags.add(flag.lower())
        else:
            numbers[name.lower()] = int(number)
    return Directions(
        fail="fail" in flags,
        reject="reject" in flags,
        expire="expire" in flags,
        slow_s=numbers.get("slow", 0),
        stream_cut=numbers.get("stream-cut"),
    )


def without_directions(prompt: str) -> str:
    """Return `prompt` without its directions."""
    return _DIRECTION.sub("", prompt)
