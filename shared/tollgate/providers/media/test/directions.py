"""What a prompt tells a test model to do, e.g. `a cat [[slow 30]]`; docs/test-models.md has them all. Pure.

Several may stand in one prompt. What is unknown or malformed is a part of the prompt like any other.
"""

import re
from dataclasses import dataclass

_DIRECTION = re.compile(r"\[\[\s*(?:(fail|reject|expire)|(slow|stream-cut)\s+(\d{1,4}))\s*\]\]", re.I)


@dataclass(frozen=True, slots=True)
class Directions:
    """`slow_s` comes before all others, in seconds; `stream_cut` is after how many words a stream breaks."""

    fail: bool = False
    reject: bool = False
    expire: bool = False
    slow_s: int = 0
    stream_cut: int | None = None


def directions_of(prompt: str) -> Directions:
    """Return what `prompt` asks for; of two numbers for the same, the last holds."""
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
    """Return what else is in `prompt`."""
    return _DIRECTION.sub("", prompt)
