"""Rotating a secret: how long the old secret remains valid. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.kit.clock import MS_PER_S, to_the_minute
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, unknown_fields

# A day to bring the new secret to wherever the old one is.
DEFAULT_OVERLAP_S = 24 * 60 * 60


def read_overlap_s(body: Mapping[str, Any], most_s: int) -> int:
    """Return the overlap in seconds of a rotation's body `{overlapS?}`. Raises `InvalidInputError`."""
    problems = unknown_fields(body, ["overlapS"])
    overlap = whole_number(body.get("overlapS", DEFAULT_OVERLAP_S))
    if overlap is None or not 0 <= overlap <= most_s:
        problems.append(Problem("/overlapS", f"Must be whole seconds, 0 to {most_s}.", f"0 to {most_s}"))
    if problems or overlap is None:
        raise InvalidInputError(problems)
    return overlap


def old_secret_ends(now_ms: int, overlap_s: int) -> str:
    """Return the audit log's text about the old secret, whose overlap with the new one starts now."""
    if not overlap_s:
        return "the old one ended at once"
    return f"the old one works until {to_the_minute(now_ms + overlap_s * MS_PER_S)}"
