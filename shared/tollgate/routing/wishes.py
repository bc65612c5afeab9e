"""Routing wishes as values, and as rows. Pure.

Source of the words: `ProviderPreferences` of OpenRouter's SDKs (PyPI: openrouter 1.3.84).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any


class Sort(StrEnum):
    """The orders of routes that a request can ask for."""

    PRICE = "price"
    """The lowest published price first."""
    THROUGHPUT = "throughput"
    """The most output tokens per second first."""
    LATENCY = "latency"
    """The shortest time to the first bytes first."""


# Prices in USD: of a million tokens of input, of a million tokens of output, and of a request.
PROMPT, COMPLETION, REQUEST = "prompt", "completion", "request"
PRICES = (PROMPT, COMPLETION, REQUEST)


@dataclass(frozen=True, slots=True)
class Wishes:
    """Routing wishes; providers have the catalog's names. The default permits everything.

    `only` is `None` for all providers. With `allow_fallbacks` false, only the providers in `order` are
    called or, without an `order`, only the first permitted route of each model. `across_models`: the sort
    mixes the routes of all models of the request.
    """

    order: tuple[str, ...] = ()
    only: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    allow_fallbacks: bool = True
    require_parameters: bool = False
    deny_data_collection: bool = False
    zdr: bool = False
    max_price: Mapping[str, Decimal] = field(default_factory=dict)
    sort: Sort | None = None
    across_models: bool = False

    def narrows(self, policy: "Wishes") -> bool:
        """Return whether a `policy` permits everything that these wishes permit."""
        return (
            (policy.only is None or (self.only is not None and self.only <= policy.only))
            and not any(self._names(name) for name in policy.ignore)
            and self.require_parameters >= policy.require_parameters
            and self.deny_data_collection >= policy.deny_data_collection
            and self.zdr >= policy.zdr
            and all(
                name in self.max_price and self.max_price[name] <= most
                for name, most in policy.max_price.items()
            )
        )

    def _names(self, provider: str) -> bool:
        return provider not in self.ignore and (self.only is None or provider in self.only)

    def to_item(self) -> dict[str, Any]:
        """Return the wishes as a map of plain values; only those that are set."""
        found: dict[str, Any] = {
            "order": list(self.order) or None,
            "only": None if self.only is None else sorted(self.only),
            "ignore": sorted(self.ignore) or None,
            "allow_fallbacks": None if self.allow_fallbacks else False,
            "require_parameters": self.require_parameters or None,
            "data_collection": "deny" if self.deny_data_collection else None,
            "zdr": self.zdr or None,
            "max_price": {name: f"{price:f}" for name, price in self.max_price.items()} or None,
            "sort": None if self.sort is None else str(self.sort),
            "across_models": self.across_models or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def from_item(cls, item: Mapping[str, Any] | None) -> "Wishes":
        """Return the wishes that a map holds; none without a map. Names of a later version are ignored."""
        if not item:
            return NO_WISHES
        only, sort = item.get("only"), item.get("sort")
        return cls(
            order=tuple(item.get("order", ())),
            only=None if only is None else frozenset(only),
            ignore=frozenset(item.get("ignore", ())),
            allow_fallbacks=item.get("allow_fallbacks", True),
            require_parameters=item.get("require_parameters", False),
            deny_data_collection=item.get("data_collection") == "deny",
            zdr=item.get("zdr", False),
            max_price={name: Decimal(price) for name, price in item.get("max_price", {}).items()},
            sort=None if sort is None else Sort(sort),
            across_models=item.get("across_models", False),
        )


NO_WISHES = Wishes()
