"""The metadata of stored objects, in OpenAI's bounds. Pure."""

from collections.abc import Iterator
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem, pointer_step

MAX_PAIRS, MAX_NAME, MAX_VALUE = 16, 64, 512


def metadata_of(given: Any) -> dict[str, str]:
    """Return the metadata of a body, in OpenAI's bounds. Raises `InvalidInputError`."""
    if problems := list(metadata_problems(given)):
        raise InvalidInputError(problems)
    return given or {}


def metadata_problems(given: Any) -> Iterator[Problem]:
    """Yield the problems of a body's `metadata`; null is no metadata."""
    if given is None:
        return
    if not isinstance(given, dict) or len(given) > MAX_PAIRS:
        yield Problem("/metadata", f"Must be an object of at most {MAX_PAIRS} pairs.")
        return
    for name, value in given.items():
        if len(name) > MAX_NAME:
            yield Problem("/metadata", f"A name has at most {MAX_NAME} characters.")
        elif not isinstance(value, str) or len(value) > MAX_VALUE:
            message = f"Must be a string of at most {MAX_VALUE} characters."
            yield Problem(f"/metadata/{pointer_step(name)}", message)
