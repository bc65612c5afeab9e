"""The parts that all functions use. Each function has a separate module beside this one.

Only these modules create clients and parts, each in one cached function. So a cold start loads only the parts
of its function, nothing is created at import (a snapshot holds no connection), and tests start clean after
`forget()`.
"""

from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Protocol, TypeVar

from tollgate.composition import has_started
from tollgate.kit.clock import SystemClock
from tollgate.kit.http import cors
from tollgate.kit.settings import Settings

PartT_co = TypeVar("PartT_co", covariant=True)


class CachedPart(Protocol[PartT_co]):
    """A function that creates a part once for each process, or once for each argument."""

    def __call__(self, *of: Hashable) -> PartT_co:
        """Return the part. Create it on the first call."""

    def cache_clear(self) -> None:
        """Discard the created parts."""


_parts: list[CachedPart[object]] = []


def part(join: Callable[..., PartT_co]) -> CachedPart[PartT_co]:
    """Decorate a function that creates a part, so that it runs once per process and arguments."""

    @wraps(join)
    def first(*of: Hashable) -> PartT_co:
        has_started()
        return join(*of)

    kept = cache(first)
    # Listed for `forget`, so that a test cannot continue with the clients of an earlier test.
    _parts.append(kept)
    return kept


@part
def clock() -> SystemClock:
    """Return the clock that all parts share."""
    return SystemClock()


@part
def cors_headers() -> dict[str, str]:
    """Return the headers with which a page of another origin can read a response."""
    return cors.headers_for(Settings.from_env().allowed_origin)


def forget() -> None:
    """Discard all parts. The next use reads the settings and creates the clients again."""
    from tollgate.kit.aws import sdk  # noqa: PLC0415 - it imports the SDK, which `text` does not need

    sdk.forget_clients()
    for kept in _parts:
        kept.cache_clear()
