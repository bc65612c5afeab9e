"""Directions: what a prompt tells the simulator to do, e.g. `a cat [[slow 5]] [[fal: fail]]`.

| direction | what happens |
|---|---|
| `[[fail]]` | the job ends in failure |
| `[[reject]]` | the job is refused for its content |
| `[[slow 5]]` | the job takes 5 s |
| `[[stuck]]` | the job never ends |
| `[[garbage]]`, `[[garbage 3]]` | answers about the job are unreadable, or the first 3 status answers |
| `[[status 429]]`, `[[status 429 2]]` | submits of this prompt answer 429, or only the first 2 do |
| `[[error-in-200]]` | submit answers an error inside HTTP 200, where the provider does such things |
| `[[lost]]` | submit takes the job, then drops the connection without an answer |
| `[[hang 20]]` | submit takes the job, then waits 20 s before it answers |
| `[[progress-negative]]`, `[[progress-absurd]]` | the progress is −700, or a billion |
| `[[files 3]]` | three result files |
| `[[vanish]]` | the result files answer 404 |
| `[[truncate]]` | the result files break off half way |
| `[[lie]]` | the result files are HTML under the media type they should have |

`[[fal: fail]]` is for one provider only. Several may stand in one prompt; of two that say different things
the later one holds. What is unknown or malformed is ignored.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

MAX_DIRECTIONS = 20
MAX_SECONDS = 3_600
MAX_FILES = 10
MS_PER_S = 1_000
ALWAYS = sys.maxsize
"""A count that is never reached: the direction holds for ever."""

_DIRECTION = re.compile(
    r"\[\[\s*(?:([a-z0-9-]{1,40})\s*:)?\s*([a-z0-9-]{1,40})((?:\s+[0-9.]{1,10}){0,2})\s*\]\]", re.I
)
_SECONDS = re.compile(r"\d{1,5}(\.\d{1,3})?")
_COUNT = re.compile(r"\d{1,6}")
_ERROR_STATUSES = range(400, 600)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The HTTP status that submits answer, and for how many submits of the prompt."""

    status: int
    times: int


@dataclass(frozen=True, slots=True)
class Directions:
    """What one provider shall do with one prompt; each field is the direction of the same name.

    Waits are in milliseconds. `garbage_answers` is how many status answers are unreadable, `ALWAYS` for all
    answers about the job.
    """

    fail: bool = False
    reject: bool = False
    stuck: bool = False
    lost: bool = False
    vanish: bool = False
    truncate: bool = False
    lie: bool = False
    error_in_200: bool = False
    slow_ms: int | None = None
    hang_ms: int = 0
    garbage_answers: int = 0
    refusal: Refusal | None = None
    files: int | None = None
    progress: int | None = None


def parse(prompt: str, provider: str) -> Directions:
    """Return what `prompt` tells `provider` to do; at most the first `MAX_DIRECTIONS` are read."""
    directions = Directions()
    for match in islice(_DIRECTION.finditer(prompt), MAX_DIRECTIONS):
        addressee, name, arguments = match.groups()
        if addressee is None or addressee.lower() == provider:
            directions = _follow(directions, name.lower(), arguments.split())
    return directions


def _follow(directions: Directions, name: str, arguments: list[str]) -> Directions:
    if name not in _READERS:
        return directions
    field, read = _READERS[name]
    value = read(arguments)
    return directions if value is None else replace(directions, **{field: value})


def _flag(arguments: list[str]) -> bool | None:
    return None if arguments else True


def _always(value: int) -> Callable[[list[str]], int | None]:
    return lambda arguments: None if arguments else value


def _milliseconds(arguments: list[str]) -> int | None:
    if len(arguments) != 1 or not _SECONDS.fullmatch(arguments[0]):
        return None
    duration_s = float(arguments[0])
    return round(duration_s * MS_PER_S) if duration_s <= MAX_SECONDS else None


def _times(arguments: list[str]) -> int | None:
    if not arguments:
        return ALWAYS
    return int(arguments[0]) if len(arguments) == 1 and _COUNT.fullmatch(arguments[0]) else None


def _refusal(arguments: list[str]) -> Refusal | None:
    if not arguments or not _COUNT.fullmatch(arguments[0]) or int(arguments[0]) not in _ERROR_STATUSES:
        return None
    times = _times(arguments[1:])
    return None if times is None else Refusal(status=int(arguments[0]), times=times)


def _files(arguments: list[str]) -> int | None:
    count = _times(arguments) if arguments else None
    return count if count is not None and 1 <= count <= MAX_FILES else None


_READERS: dict[str, tuple[str, Callable[[list[str]], Any]]] = {
    "fail": ("fail", _flag),
    "reject": ("reject", _flag),
    "stuck": ("stuck", _flag),
    "lost": ("lost", _flag),
    "vanish": ("vanish", _flag),
    "truncate": ("truncate", _flag),
    "lie": ("lie", _flag),
    "error-in-200": ("error_in_200", _flag),
    "slow": ("slow_ms", _milliseconds),
    "hang": ("hang_ms", _milliseconds),
    "garbage": ("garbage_answers", _times),
    "status": ("refusal", _refusal),
    "files": ("files", _files),
    "progress-negative": ("progress", _always(-700)),
    "progress-absurd": ("progress", _always(10**9)),
}
