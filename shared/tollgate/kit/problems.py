"""The problems of a request's body, as `error.details` lists them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

# That one answer lists; a megabyte of wrong fields would otherwise be answered with forty.
MAX_PROBLEMS = 50
# Of those that are listed; with the message and all around it an error stays below 64 KB.
MAX_DETAILS_BYTES = 56 * 1024
MAX_PATH_LENGTH, MAX_MESSAGE_LENGTH = 200, 1_000
# Longest piece of user input echoed in an error message.
MAX_QUOTED_LENGTH = 100
NULL = "Null is no value: send one, or leave the field out."


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a request body.

    `path` is a JSON pointer (RFC 6901) from the body's root, and `message` describes the problem. `allowed`
    is the list of valid values, or a sentence about them, if that can be stated.
    """

    path: str
    message: str
    allowed: Any = None

    def body(self) -> dict[str, Any]:
        """Return the problem for `error.details`, with user input cut to its bound."""
        path = shortened(self.path, MAX_PATH_LENGTH)
        shown: dict[str, Any] = {"path": path, "message": shortened(self.message, MAX_MESSAGE_LENGTH)}
        return shown if self.allowed is None else {**shown, "allowed": self.allowed}


def of_value(problem: Problem, value: object) -> Problem:
    """Return the problem of a field's value. If the value is null, the message also says what to do."""
    return problem if value is not None else replace(problem, message=f"{problem.message} {NULL}")


def shortened(text: str, most: int = MAX_QUOTED_LENGTH) -> str:
    """Return a text of at most `most` characters. A shortened text ends in `…`."""
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return as many problems as a response may list, at least the first."""
    listed: list[dict[str, Any]] = []
    left = MAX_DETAILS_BYTES
    for problem in problems[:MAX_PROBLEMS]:
        shown = problem.body()
        left -= len(json.dumps(shown))
        if listed and left < 0:
            break
        listed.append(shown)
    return listed


def not_whole(path: str, least: int, most: int) -> Problem:
    """Return the problem of a value that must be a whole number within bounds."""
    allowed = f"{least} to {most}"
    return Problem(path, f"Must be a whole number, {allowed}.", allowed)


def unknown_fields(
    body: Mapping[str, Any], known: Sequence[str], under: str = "", *, what: str = "field"
) -> list[Problem]:
    """Return a problem for each field of the object at the pointer `under` that is not a known one."""
    unknown = [pointer_step(name) for name in body if name not in known]
    return [Problem(f"{under}/{name}", f"Unknown {what}.", list(known)) for name in unknown]


def pointer_step(name: str) -> str:
    """Return a name as one step of a JSON pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def one_of(path: str, values: Iterable[object]) -> Problem:
    """Return the problem of a field with a value that is not allowed.

    Members of enums are shown as text, and other values as in JSON.
    """
    allowed = [str(value) if isinstance(value, str) else value for value in values]
    named = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in allowed)
    return Problem(path, f"Must be one of: {named}.", allowed)
