"""The prices of a text model, from which the chat page calculates the cost of a response. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.catalog.text_models import BESIDE

FROM = "inputTokensFrom"
KINDS = ("input", "output", "cacheRead", "cacheWrite")


def price_tiers(pricing: Sequence[Mapping[str, Any]]) -> list[dict[str, str | int]]:
    """Return the prices per token in micro-USD by kind of token, for each range of the input's length.

    `pricing` comes from the catalog: USD per 1M tokens as text, which equals micro-USD per token. `from` is
    the number of input tokens at which a range starts, the smallest first. A missing cache price is the
    input's price.
    """
    tiers: dict[int, dict[str, str]] = {}
    for entry in pricing:
        if not BESIDE.isdisjoint(entry.get("dimensions", {})):
            continue
        bound = int(entry.get("dimensions", {}).get(FROM, 0))
        kind = entry["key"].partition("-from-")[0]
        tiers.setdefault(bound, {})[kind] = entry["price"]
    return [{"from": bound, **_whole(tiers[bound])} for bound in sorted(tiers)]


def _whole(prices: Mapping[str, str]) -> dict[str, str]:
    return {kind: prices.get(kind, prices["input"]) for kind in KINDS}
