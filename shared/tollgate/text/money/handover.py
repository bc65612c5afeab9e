"""A placed hold and its prices as JSON, for the process that continues the request. Pure."""

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import Budget, Spender, Use
from tollgate.ledger.caps import Allowance
from tollgate.ledger.holds import Hold
from tollgate.text.models import LongContextTier, TextModel, TokenPrices
from tollgate.text.money.metering import HoldPlan
from tollgate.text.money.placed import PlacedHold


def handed_over(placed: PlacedHold, now_ms: int) -> dict[str, Any]:
    """Return what another process needs to settle or void a hold at `now_ms` or later."""
    spender = placed.spender
    return {
        "account_id": placed.account_id,
        "row_id": placed.row_id,
        "hold": asdict(placed.hold),
        # The version before searches of the web cannot read their count.
        "plan": {name: value for name, value in asdict(placed.plan).items() if value or name != "searches"},
        "allowance": None if placed.allowance is None else asdict(placed.allowance),
        "answers": placed.answers,
        "key_id": spender.key_id,
        "attribution": spender.attribution.stored(),
        "uses": [[use.budget.to_item(), use.value, use.stamp, use.ends_ms] for use in placed.uses],
        "markup_percent": placed.markup_percent,
        "is_doubtful": placed.is_doubtful,
        "routes": placed.routes.stored(),
        "prices": {
            one.model.id: prices_of(one.model.unmarked or one.model) for one in placed.routes.candidates
        },
        "api": placed.api,
        "held_ms": placed.held_ms,
        "accepted_at_ms": now_ms - placed.elapsed_ms(),
    }


def taken_over(given: Mapping[str, Any], now_ms: int) -> PlacedHold:
    """Return the hold in what `handed_over` returned."""
    hold, allowance = given["hold"], given["allowance"]
    return PlacedHold(
        given["account_id"],
        given["row_id"],
        Hold(**{**hold, "budgets": tuple(hold["budgets"])}),
        HoldPlan(**given["plan"]),
        None if allowance is None else Allowance(**allowance),
        given["answers"],
        api=given["api"],
        held_ms=given["held_ms"],
        spender=Spender(given["key_id"], Attribution.from_item(given["attribution"])),
        markup_percent=given.get("markup_percent", 0),
        uses=tuple(Use(Budget.from_item(item), *rest) for item, *rest in given["uses"]),
        accepted_at=time.monotonic() - (now_ms - given["accepted_at_ms"]) / MS_PER_S,
        is_doubtful=given["is_doubtful"],
    )


def prices_of(model: TextModel) -> dict[str, Any]:
    """Return a model's prices. The price of the start counts, also if a new day begins before the run."""
    tiers = [[tier.from_tokens, _written(tier.prices)] for tier in model.tiers]
    found: dict[str, Any] = {"prices": _written(model.prices), "tiers": tiers}
    searched = model.prices.web_search
    return found if searched is None else {**found, "web_search": f"{searched:f}"}


def at_prices(model: TextModel, given: Mapping[str, Any] | None) -> TextModel:
    """Return the model with the prices in what `prices_of` returned; unchanged if there are none."""
    if given is None:
        return model
    tiers = tuple(LongContextTier(start, _read(prices)) for start, prices in given["tiers"])
    prices = _read(given["prices"])
    if "web_search" in given:
        prices = replace(prices, web_search=Decimal(given["web_search"]))
    return replace(model, prices=prices, tiers=tiers)


def _written(prices: TokenPrices) -> dict[str, str]:
    # The version before rerank cannot read a price of searches, and the next one none of searches of the web.
    found = {
        name: price
        for name, price in asdict(prices).items()
        if name != "web_search" and (price or name != "search")
    }
    return {name: f"{price:f}" for name, price in found.items() if price is not None}


def _read(prices: Mapping[str, str]) -> TokenPrices:
    return TokenPrices(**{name: Decimal(price) for name, price in prices.items()})
