"""The prices of a text model as the chat page reads them, to say what an answer costs. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

FROM = "inputTokensFrom"
KINDS = ("input", "output", "cacheRead", "cacheWrite")


def price_tiers(pricing: Sequence[Mapping[str, Any]]) -> list[dict[str, str | int]]:
    """Return the prices per token in micro-USD by what is billed, for each length of the input.

    `pricing` is that of the catalog: USD per 1M tokens, which is micro-USD a token, as text. `from` is the
    number of input tokens from which on a tier holds, the shortest first. A cache price that is left out is
    the input's.
    """
    tiers: dict[int, dict[str, str]] = {}
    for entry in pricing:
        bound = int(entry.get("dimensions", {}).get(FROM, 0))
        kind = entry["key"].partition("-from-")[0]
        tiers.setdefault(bound, {})[kind] = entry["price"]
    return [{"from": bound, **_whole(tiers[bound])} for bound in sorted(tiers)]


def _whole(prices: Mapping[str, str]) -> dict[str, str]:
    return {kind: prices.get(kind, prices["input"]) for kind in KINDS}
