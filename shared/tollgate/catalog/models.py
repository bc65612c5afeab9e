"""A media model as data, and the names of all models (docs/catalog.md)."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tollgate.catalog.fields import Bounds, Data, Usd, UsdOrFree
from tollgate.catalog.restrictions import Restrictions

# Only some functions read inputs, and the modules for it are slow to load.
if TYPE_CHECKING:
    from tollgate.catalog.media import Measured, MediaFacts, ProbeRequest
    from tollgate.catalog.profiles.base import Profile
    from tollgate.catalog.rules import CheckedInput

MAX_DEADLINE_S = 86_400
PRICE_VERSION_CHARS = 12
DATE = r"\d{4}-\d{2}-\d{2}"
Day = Annotated[str, Bounds(pattern=f"^{DATE}$")]

Basis = Literal["FOUND", "INFERRED"]
PriceUnit = Literal["generation", "second", "megatoken", "search", "megacharacter", "minute"]


@dataclass(frozen=True, kw_only=True)
class Price(Data):
    """A retail price in USD per unit, for inputs that have all its `dimensions`."""

    key: str
    price: UsdOrFree
    is_default: bool = False
    dimensions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Extra(Data):
    """A retail price in USD for each item of the array `counts` beyond the `free` items."""

    key: str
    price: Usd
    counts: str
    free: int = 0


@dataclass(frozen=True, kw_only=True)
class Pricing(Data):
    """The customer's prices of a model.

    `times` names a field that multiplies the whole charge (a batch). `source_seconds` is the effect of a
    given video's length on a price per second: none, it is added to the result's, or it is added and counts
    as at least as long as the result.
    """

    unit: PriceUnit
    prices: Annotated[list[Price], Bounds(min_length=1)]
    extras: list[Extra] = field(default_factory=list)
    times: str | None = None
    source_seconds: Literal["ignored", "added", "matched"] = "ignored"

    def tiers(self, dimension: str) -> list[int]:
        """Return the sizes up to which the prices with this dimension count, in order. Empty without any."""
        return sorted({int(one.dimensions[dimension]) for one in self.prices if dimension in one.dimensions})

    @cached_property
    def version(self) -> str:
        """Return a short name of exactly these prices: any change of them changes it."""
        # Sorted, so that the same prices written in another order are the same version.
        data = json.dumps(asdict(self), default=str, sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()[:PRICE_VERSION_CHARS]


@dataclass(frozen=True, kw_only=True)
class Cost(Data):
    """A provider's charge to us in USD per unit; `why` is the source of the number."""

    cost: UsdOrFree
    dimensions: dict[str, str] = field(default_factory=dict)
    basis: Basis
    why: str


@dataclass(frozen=True, kw_only=True)
class ExtraCost(Data):
    """A provider's charge to us in USD for each item of `counts` beyond the `free` items."""

    cost: Usd
    counts: str
    free: int = 0
    basis: Basis
    why: str


@dataclass(frozen=True, kw_only=True)
class Route(Data):
    """One way to run a model: a provider, its ids for our variants, its field mapping, its cost.

    `takes` names the fields of which the provider takes some values only, or none; `max_items` the arrays
    of which it takes fewer items than the model. A route that is off says `why`. From the day that it
    `retires`, it is off. A public source had it on the day `seen_on`.
    """

    provider: str
    upstream: Annotated[dict[str, str], Bounds(min_length=1)]
    mapping: str
    confidence: Basis
    enabled: bool = True
    takes: dict[str, list[bool | str | int | float]] = field(default_factory=dict)
    max_items: dict[str, Annotated[int, Bounds(gt=0)]] = field(default_factory=dict)
    costs: Annotated[list[Cost], Bounds(min_length=1)]
    extra_costs: list[ExtraCost] = field(default_factory=list)
    retires: Day | None = None
    seen_on: Day | None = None
    why: str | None = None

    def can_run(self, values: Mapping[str, Any]) -> bool:
        """Return whether the provider takes an input with these values."""
        # A field that the input has not is not sent, so it keeps no route away.
        return all(values[name] in taken for name, taken in self.takes.items() if name in values) and all(
            len(values[name]) <= most for name, most in self.max_items.items() if name in values
        )


@dataclass(frozen=True, kw_only=True)
class ShutsDown(Data):
    """The end of a model: the first day without it, in UTC, and the id of the model to use instead."""

    day: Day
    successor: str


@dataclass(frozen=True, kw_only=True)
class CatalogModel(Data):
    """The names of a model, as the base of media and text models.

    `aliases` are other names of the model, `vendor_names` the prefixes that gateways put before a slash
    (`names.py`). `single_route` is the reason if only one provider can run it. `free` is for models without a
    price or cost; on other models, a price or cost of 0 is a mistake. `shuts_down` is the announced end.
    """

    id: Annotated[str, Bounds(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
    group: str
    name: str
    vendor: str
    description: str
    description_locales: dict[str, str]
    released_at: Day | None = None
    page_updated_at: str | None = None
    tags: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    vendor_names: list[str] = field(default_factory=list)
    free: bool = False
    single_route: str | None = None
    shuts_down: ShutsDown | None = None

    def __post_init__(self) -> None:
        """Refuse a price or cost of 0 of a model that is not free, and any other of a free model."""
        # A 0 by mistake would give work away; a price by mistake on a free model would charge for nothing.
        if any((amount == 0) is not self.free for amount in self.amounts()):
            allowed = "0, because the model is free" if self.free else "above 0"
            raise ValueError(f"pricing: every price and cost must be {allowed}")

    def amounts(self) -> Iterator[Decimal]:
        """Return every price of the model and every cost of its routes."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Model(CatalogModel):
    """A media model."""

    kind: Literal["media"] = "media"
    media_type: Literal["IMAGE", "VIDEO", "MUSIC", "3D"]
    capabilities: list[str]
    pricing: Pricing
    profile: str
    restrictions: Restrictions = field(default_factory=Restrictions)
    deadline_s: Annotated[int, Bounds(gt=0, le=MAX_DEADLINE_S)]
    routes: Annotated[list[Route], Bounds(min_length=1)]

    def amounts(self) -> Iterator[Decimal]:
        """Return every price and cost, except extras, which are never free."""
        yield from (entry.price for entry in self.pricing.prices)
        yield from (cost.cost for route in self.routes for cost in route.costs)

    @property
    def use(self) -> str:
        """Return the sentences that name the model's kind and the endpoint for it."""
        article = "an" if self.media_type == "IMAGE" else "a"
        kind = self.media_type if self.media_type == "3D" else self.media_type.lower()
        return f"{self.id} is {article} {kind} model. Use POST /api/v1/generation/create."

    @cached_property
    def input_class(self) -> "type[Profile]":
        """Return the model's own input class; raises `CatalogError` if its restrictions do not fit."""
        from tollgate.catalog.input_classes import build_input_class  # noqa: PLC0415 - see `TYPE_CHECKING`

        return build_input_class(self.id, self.profile, self.restrictions)

    def check(self, source: Any) -> "CheckedInput":
        """Return the `input` of a create body normalised, or raise `InvalidInputError` with every problem."""
        from tollgate.catalog import checking  # noqa: PLC0415 - see `TYPE_CHECKING`

        return checking.check(self.input_class, source)

    def probes(self, checked: "CheckedInput") -> "list[ProbeRequest]":
        """Return the URLs of an accepted input whose files a rule or the price depends on."""
        return self.input_class.probes(checked.values)

    def check_media(
        self, checked: "CheckedInput", facts: "Mapping[str, MediaFacts]", unknown: Collection[str] = ()
    ) -> "Measured":
        """Check the files of an accepted input against `facts`, one for each URL of `probes`.

        Files at `unknown` URLs do not exist yet, so they have no facts. Returns the measures of the
        others, which `quote` takes. Raises `InvalidInputError`.
        """
        from tollgate.catalog import checking  # noqa: PLC0415 - see `TYPE_CHECKING`

        measured = checking.check_media(self.input_class, checked, facts, unknown)
        most = {name: tiers[-1] for name in measured.sizes if (tiers := self.pricing.tiers(name))}
        checking.check_sizes(self.input_class, measured, most)
        return measured

    def routes_for(self, values: Mapping[str, Any]) -> list[Route]:
        """Return the routes whose providers take an input with these values, best first."""
        # In the order of the data, which is whom we would rather ask; health may put another one first.
        return [route for route in self.routes if route.can_run(values)]
