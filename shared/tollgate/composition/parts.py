"""What all functions are joined with; each has a module of its own beside this, of its name.

Those are the only places that build clients and join parts, in one cached function each. So a cold start
loads what its function needs and no more, nothing is built at import (a snapshot holds no connection), and
tests start from a clean slate with `forget()`.
"""

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache
from typing import TypeVar

from tollgate.kit import aws
from tollgate.kit.clock import SystemClock

PartT = TypeVar("PartT")
_parts: list["_lru_cache_wrapper[object]"] = []


def part(join: Callable[..., PartT]) -> "_lru_cache_wrapper[PartT]":
    """Make a function one that joins a part once for each process, or for each of its arguments."""
    kept = cache(join)
    _parts.append(kept)
    return kept


@part
def clock() -> SystemClock:
    """Return the clock that all parts share."""
    return SystemClock()


def forget() -> None:
    """Drop everything built so far; the next use reads settings and makes clients anew."""
    aws.forget_clients()
    for kept in _parts:
        kept.cache_clear()
