"""What all functions are joined with; each has a module of its own beside this, of its name.

Those are the only places that build clients and join parts, in one cached function each. So a cold start
loads what its function needs and no more, nothing is built at import (a snapshot holds no connection), and
tests start from a clean slate with `forget()`.
"""

from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Protocol, TypeVar

from tollgate.composition import has_started
from tollgate.kit import cors
from tollgate.kit.clock import SystemClock
from tollgate.kit.settings import Settings

PartT_co = TypeVar("PartT_co", covariant=True)


class JoinedPart(Protocol[PartT_co]):
    """What joins a part once for each process, or for each of its arguments."""

    def __call__(self, *of: Hashable) -> PartT_co:
        """Return the part, joined now if it is not there yet."""

    def cache_clear(self) -> None:
        """Drop what was joined."""


_parts: list[JoinedPart[object]] = []


def part(join: Callable[..., PartT_co]) -> JoinedPart[PartT_co]:
    """Make a function one that joins a part once for each process, or for each of its arguments."""

    @wraps(join)
    def first(*of: Hashable) -> PartT_co:
        has_started()
        return join(*of)

    kept = cache(first)
    # Listed for `forget`: a test that left one out would go on with the clients of the test before it.
    _parts.append(kept)
    return kept


@part
def clock() -> SystemClock:
    """Return the clock that all parts share."""
    return SystemClock()


@part
def cors_headers() -> dict[str, str]:
    """Return the headers that let a page of another origin read an answer."""
    return cors.headers_for(Settings.from_env().allowed_origin)


def forget() -> None:
    """Drop everything built so far; the next use reads settings and makes clients anew."""
    from tollgate.kit import aws  # noqa: PLC0415 - it brings the SDK, which the text function does without

    aws.forget_clients()
    for kept in _parts:
        kept.cache_clear()
