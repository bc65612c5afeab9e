"""Directions in a prompt that control the simulator, e.g. `a cat [[slow 5]] [[fal: fail]]`.

| direction | effect |
|---|---|
| `[[fail]]` | the job ends in failure |
| `[[reject]]` | the job is refused for its content |
| `[[slow 5]]` | the job takes 5 s |
| `[[stuck]]` | the job never ends |
| `[[garbage]]`, `[[garbage 3]]` | responses about the job, or the first 3 status responses, are unreadable |
| `[[status 429]]`, `[[status 429 2]]` | submits of this prompt, or only the first 2, return 429 |
| `[[error-in-200]]` | submit returns an error inside HTTP 200, if the provider does that |
| `[[lost]]` | submit accepts the job, then closes the connection without a response |
| `[[hang 20]]` | submit accepts the job, then responds after 20 s |
| `[[progress-negative]]`, `[[progress-absurd]]` | the progress is −700, or a billion |
| `[[files 3]]` | three result files |
| `[[vanish]]` | the result files return 404 |
| `[[truncate]]` | the result files break off in the middle |
| `[[file-failed]]` | the state of the result file is "failed", although it can be read (Google) |
| `[[retired]]` | submit is refused as for a model that does not exist |
| `[[cost 0.5]]` | the job's result states this charge in US dollars (BFL, APIMart) |
| `[[lie]]` | the result files are HTML with the expected media type |

`[[fal: fail]]` is for one provider only. A prompt may have several directions. If two conflict, the later one
applies. Unknown and malformed directions are ignored.
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
"""A count that is never reached: the direction applies without end."""

_DIRECTION = re.compile(
    r"\[\[\s*(?:([a-z0-9-]{1,40})\s*:)?\s*([a-z0-9-]{1,40})((?:\s+[0-9.]{1,10}){0,2})\s*\]\]", re.I
)
_SECONDS = re.compile(r"\d{1,5}(\.\d{1,3})?")
_COUNT = re.compile(r"\d{1,6}")
_ERROR_STATUSES = range(400, 600)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The HTTP status of refused submits, and how many submits of the prompt are refused."""

    status: int
    times: int


@dataclass(frozen=True, slots=True)
class Directions:
    """The directions of a prompt for one provider. Each field is the direction of the same name.

    Times are in milliseconds. `garbage_answers` is the number of unreadable status responses, or `ALWAYS` for
    all responses about the job.
    """

    fail: bool = False
    reject: bool = False
    stuck: bool = False
    lost: bool = False
    vanish: bool = False
    truncate: bool = False
    lie: bool = False
    file_failed: bool = False
    retired: bool = False
    cost_usd: float | None = None
    error_in_200: bool = False
    slow_ms: int | None = None
    hang_ms: int = 0
    garbage_answers: int = 0
    refusal: Refusal | None = None
    files: int | None = None
    progress: int | None = None


def parse(prompt: str, provider: str) -> Directions:
    """Return the directions in `prompt` for `provider`. At most the first `MAX_DIRECTIONS` are read."""
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


def _usd(arguments: list[str]) -> float | None:
    is_amount = len(arguments) == 1 and _SECONDS.fullmatch(arguments[0])
    return float(arguments[0]) if is_amount else None


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
    "file-failed": ("file_failed", _flag),
    "retired": ("retired", _flag),
    "cost": ("cost_usd", _usd),
    "error-in-200": ("error_in_200", _flag),
    "slow": ("slow_ms", _milliseconds),
    "hang": ("hang_ms", _milliseconds),
    "garbage": ("garbage_answers", _times),
    "status": ("refusal", _refusal),
    "files": ("files", _files),
    "progress-negative": ("progress", _always(-700)),
    "progress-absurd": ("progress", _always(10**9)),
}
