"""Differences between the catalog's routes and a public source. Pure.

A difference is fixed in the data, or explained in `known_drift.yaml` beside this module. `tollgate catalog
refresh` prints the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypedDict

from tollgate.catalog.models import Model, Route
from tollgate.catalog.sources import Row, Source
from tollgate.catalog.text_models import CatalogTextModel, CatalogTextRoute, CatalogTokenPrices, LongContext

# Platforms that choose among hosts below a price that Tollgate sends.
CAPPED = {"openrouter"}
KNOWN = Path(__file__).parent / "known_drift.yaml"
# A smaller limit in a source refuses requests that we send. A larger one matters only if it is much larger.
MUCH_LARGER = 2
# The prices of a model that is no chat: it has one of them.
_SINGLE = ("input", "character", "minute")
GONE = frozenset({"removed", "retired", "deprecated"})
# fal's names of the units that the catalog has (api.fal.ai/v1/models/pricing).
UNITS = {"second": {"seconds", "second"}, "generation": {"images", "image", "videos", "video", "generations"}}


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference: a route's field, our value, and the source's.

    `above` is the retail price that the source's cost exceeds; `retired` is whether the source ended the id.
    """

    model_id: str
    provider: str
    upstream: str
    field: str
    ours: str
    says: str
    above: Decimal | None = None
    retired: bool = False

    @property
    def key(self) -> str:
        """Return the name of the difference, without our value: the form of `known_drift.yaml`."""
        return f"{self.provider} {self.upstream} {self.field} {self.says}"

    @property
    def is_urgent(self) -> bool:
        """Return whether the service would lose money, or call an id that is gone."""
        return self.above is not None or self.retired


def text_drifts(model: CatalogTextModel, source: Source, day: str) -> Iterator[Drift]:
    """Yield the differences of a text model's enabled routes on a day."""
    for route in model.routes:
        if not route.enabled or not source.covers(route.provider):
            continue
        row = source.find(route.provider, route.upstream)
        pair = _Pair(model, route, row or Row({}))
        if row is None:
            yield pair.drift("id", "listed", "unknown")
            continue
        yield from _price_drifts(pair)
        yield from _limit_drifts(pair)
        yield from _end_drifts(pair, day)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A route of a text model, and its row."""

    model: CatalogTextModel
    route: CatalogTextRoute
    row: Row

    def drift(
        self, field: str, ours: str, says: str, *, above: Decimal | None = None, retired: bool = False
    ) -> Drift:
        """Return a difference of this route."""
        route = self.route
        return Drift(self.model.id, route.provider, route.upstream, field, ours, says, above, retired)


def media_drifts(model: Model, source: Source, day: str) -> Iterator[Drift]:
    """Yield the differences of a media model's enabled routes in id, end, unit and least cost."""
    for route in model.routes:
        if not route.enabled or not source.covers(route.provider):
            continue
        for upstream in dict.fromkeys(route.upstream.values()):
            if (row := source.find(route.provider, upstream)) is None:
                yield Drift(model.id, route.provider, upstream, "id", "listed", "unknown")
                continue
            if row.retires is not None and row.retires != route.retires:
                retired = row.retires <= day
                ours = str(route.retires)
                yield Drift(model.id, route.provider, upstream, "retires", ours, row.retires, None, retired)
            if row.prices:
                yield from _media_row(model, route, upstream, row)


def is_seen(source: Source, route: CatalogTextRoute) -> bool:
    """Return whether the source lists a route's id."""
    return source.find(route.provider, route.upstream) is not None


class Known(TypedDict):
    """An entry of `known_drift.yaml`: keys of differences from these sources, with `*` for any text."""

    why: str
    sources: list[str]
    drift: list[str]


def unexplained(drifts: Iterable[Drift], source: Source, known: Sequence[Known]) -> list[Drift]:
    """Return the differences from a source that `known` does not explain."""
    keys = [key for entry in known if source.name in entry["sources"] for key in entry["drift"]]
    return [drift for drift in drifts if not any(fnmatchcase(drift.key, key) for key in keys)]


def unused(drifts: Sequence[Drift], source: Source, known: Sequence[Known]) -> list[str]:
    """Return the explanations of differences from a source that no longer exist."""
    keys = [key for entry in known if entry["sources"] == [source.name] for key in entry["drift"]]
    return [key for key in keys if not any(fnmatchcase(drift.key, key) for drift in drifts)]


def _price_drifts(pair: _Pair) -> Iterator[Drift]:
    model, route = pair.model, pair.route
    yield from _compared(pair, "cost", route.cost, pair.row.prices, model.prices)
    ours = {tier.from_tokens: tier for tier in route.long_context}
    for size, prices in pair.row.tiers.items():
        # A tier beyond the route's own bound is never reached.
        if route.context_tokens is not None and size >= route.context_tokens:
            continue
        retail = _tier_at(model, size)
        if size in ours:
            yield from _compared(pair, f"longContext.{size}", ours[size], prices, retail)
            continue
        sold = _of(retail)
        above = next((sold[name] for name, price in prices.items() if price > sold[name]), None)
        says = "/".join(f"{price:f}" for price in prices.values())
        yield pair.drift(f"longContext.{size}", "none", says, above=above)


def _compared(
    pair: _Pair,
    place: str,
    ours: CatalogTokenPrices,
    theirs: Mapping[str, Decimal],
    retail: CatalogTokenPrices,
) -> Iterator[Drift]:
    shown, sold = ours.shown(), _of(retail)
    for name, price in theirs.items():
        if shown.get(name) == price or (not pair.model.is_chat and name not in _SINGLE):
            continue
        # A cache price that is left out is the input's.
        if name not in shown and price == shown.get("input"):
            continue
        # It never asks more than the retail price, which is its cap. A lower price is of a single host.
        if pair.route.provider in CAPPED and price <= sold[name]:
            continue
        above = sold[name] if price > sold[name] else None
        said = f"{shown[name]:f}" if name in shown else "none"
        yield pair.drift(f"{place}.{name}", said, f"{price:f}", above=above)


def _limit_drifts(pair: _Pair) -> Iterator[Drift]:
    model, route = pair.model, pair.route
    limits = [("contextTokens", route.context_tokens or model.context_tokens, pair.row.context_tokens)]
    if model.is_chat:
        output = route.max_output_tokens or model.max_output_tokens
        limits.append(("maxOutputTokens", output, pair.row.max_output_tokens))
    # The model's limit is the limit of its first route; a larger limit of another host is not used.
    is_first = route == next(one for one in model.routes if one.enabled)
    for name, ours, theirs in limits:
        if theirs and (theirs < ours or (is_first and theirs >= ours * MUCH_LARGER)):
            yield pair.drift(name, str(ours), str(theirs))


def _end_drifts(pair: _Pair, day: str) -> Iterator[Drift]:
    row, retires = pair.row, pair.route.retires
    if row.retires is not None and row.retires != retires:
        yield pair.drift("retires", str(retires), row.retires, retired=row.retires <= day)
    elif row.status in GONE and retires is None:
        yield pair.drift("status", "enabled", str(row.status), retired=True)


def _media_row(model: Model, route: Route, upstream: str, row: Row) -> Iterator[Drift]:
    if row.unit not in UNITS.get(model.pricing.unit, set()):
        # The form of the price changed, so its number cannot be compared.
        yield Drift(model.id, route.provider, upstream, "unit", model.pricing.unit, row.unit)
        return
    least = min(cost.cost for cost in route.costs)
    price = row.prices["cost"]
    if price != least:
        most = max(entry.price for entry in model.pricing.prices)
        above = most if price > most else None
        yield Drift(model.id, route.provider, upstream, "cost", f"{least:f}", f"{price:f}", above=above)


def _tier_at(model: CatalogTextModel, size: int) -> CatalogTokenPrices:
    reached: list[LongContext] = [tier for tier in model.long_context if tier.from_tokens <= size]
    return max(reached, key=lambda tier: tier.from_tokens) if reached else model.prices


def _of(prices: CatalogTokenPrices) -> dict[str, Decimal]:
    shown, source = prices.shown(), prices.of_input()
    return {name: shown.get(name, source) for name in (*_SINGLE, "output", "cacheRead", "cacheWrite")}
