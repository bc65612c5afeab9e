"""The statements of a provider about its response: the model that answered, and its charge. Pure.

A provider can answer with another model than the requested one, for example after the end of a model, and its
charge can differ from the catalog's cost. The customer pays the catalog's price for the requested model.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from tollgate.kit.money import MICRO_USD_PER_USD

MAX_NAME_CHARS = 100
# Pairs of names that a process caches.
MAX_CACHED_NAMES = 1_000
_SEPARATORS = re.compile(r"[-._:@\s]+")
_SNAPSHOT = re.compile(r"20\d{6}|20\d\d|\d{4}|\d{2}|\d{6}|latest|preview|exp|free")
"""The parts of a name that tell a snapshot, such as `2026-09-08`."""
_DIGIT = re.compile(r"\d")
_TICKS_PER_USD = 10_000_000_000
"""https://docs.x.ai/developers/cost-tracking"""


# Each answer names its model.
@lru_cache(maxsize=MAX_CACHED_NAMES)
def is_same_model(asked: str, named: str) -> bool:
    """Return whether `named`, in a response, can be the model with the provider's id `asked`.

    Providers add a snapshot or their path, or change the order of the words. An id without a number is an
    alias, whose answer has the version.
    """
    wanted, found = _words(asked), _words(named)
    if not any(map(_DIGIT.search, wanted)):
        return set(wanted) <= set(found)
    return sorted(wanted) == sorted(found)


def _words(name: str) -> list[str]:
    words = _SEPARATORS.split(name.lower().rpartition("/")[2])
    while len(words) > 1 and _SNAPSHOT.fullmatch(words[-1]):
        words.pop()
    return words


def stated_micro_usd(usage: object) -> int | None:
    """Return the charge that a usage object states, in micro-USD; `None` if it states none.

    OpenRouter and Perplexity have `cost`, DeepInfra `estimated_cost`, xAI `cost_in_usd_ticks`.
    """
    if not isinstance(usage, dict):
        return None
    for name, read in _READERS.items():
        if name not in usage:
            continue
        try:
            found = read(usage[name])
        except (KeyError, InvalidOperation):
            continue
        if found.is_finite() and found >= 0:
            return int(found * MICRO_USD_PER_USD)
    return None


def _usd(value: object) -> Decimal:
    return Decimal(str(value))


_READERS: Mapping[str, Callable[[Any], Decimal]] = {
    "cost": lambda cost: _usd(cost["total_cost"] if isinstance(cost, Mapping) else cost),
    "estimated_cost": _usd,
    "cost_in_usd_ticks": lambda ticks: _usd(ticks) / _TICKS_PER_USD,
}
