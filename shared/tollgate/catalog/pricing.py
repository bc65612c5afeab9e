"""The cost of one request. Pure: the model's data, a checked input and measures of its files in, money out.

The entry with the most matching dimensions wins; no match and a tie refuse the request (docs/catalog.md). A
media charge is rounded up once, on its total, to whole cents (docs/architecture.md#money).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.media import Measured
from tollgate.catalog.models import PRICE_VERSION_CHARS, Extra, ExtraCost, Model, Pricing, Route
from tollgate.catalog.rules import CheckedInput
from tollgate.catalog.text_models import BESIDE
from tollgate.kit import money
from tollgate.kit.response_shapes import Cents, DecimalText, Shape

if TYPE_CHECKING:
    # Profiles load pydantic, and text reads prices without it.
    from tollgate.catalog.profiles.base import Profile

NOTHING_MEASURED = Measured()
# A wrong version passes with a probability of 1 in 65,536.
CHECKSUM_CHARS = 4


class Dimensioned(Protocol):
    """Anything that stands for the inputs which have all its dimensions: a price, a provider's cost."""

    @property
    def dimensions(self) -> dict[str, str]:
        """Return the dimensions and the value each must have."""


Entry = TypeVar("Entry", bound=Dimensioned)


class PartView(Shape):
    """A part of a price: a quantity of units at the price of one entry."""

    key: str
    unit: str
    quantity: DecimalText
    unitPriceUsd: DecimalText
    amountUsd: DecimalText


class EstimateView(Shape):
    """The charge that a create request with the same body would have."""

    model: str
    price: Cents
    currency: Literal["USD"]
    breakdown: list[PartView]
    priceVersion: str


@dataclass(frozen=True, slots=True)
class Quote:
    """The charge for one request; `breakdown` has its parts as the estimate shows them.

    Source: site/billing.md#images-videos-and-music.
    """

    charge_cents: int
    breakdown: list[PartView]
    price_version: str
    source_seconds: Decimal = NOTHING_MEASURED.seconds
    markup_micro_usd: int = 0
    """The part of the charge that the parent of a sub-account earns."""

    def marked_up(self, model: Model, percent: int) -> "Quote":
        """Return the charge of a sub-account, whose prices of this model are higher by a percentage."""
        if not percent:
            return self
        factor = 1 + Decimal(percent).scaleb(-2)
        lines = [_line(part["key"], part["unit"], *_marked_up(part, factor)) for part in self.breakdown]
        charge_cents = _charge_cents(lines)
        markup = money.micro_usd_of_cents(charge_cents - self.charge_cents)
        version = price_version(model, percent)
        return Quote(charge_cents, lines, version, self.source_seconds, markup_micro_usd=markup)

    @property
    def charge_micro_usd(self) -> int:
        """Return the charge in micro-USD; it is whole cents."""
        return money.micro_usd_of_cents(self.charge_cents)


def quote(model: Model, checked: CheckedInput, measured: Measured = NOTHING_MEASURED) -> Quote:
    """Return the charge for `checked`, an input of `model`.

    `measured` has the measures of the customer's files. Raises `UnknownPriceError`.
    """
    facts = price_facts(model.input_class, checked.values) | _size_facts(model.pricing, measured)
    price = best_entry(model.id, model.pricing.prices, facts)
    units = _units(model, checked.values, measured.seconds, facts)
    lines = [_line(price.key, model.pricing.unit, units * _batch(model, checked.values), price.price)]
    for extra in model.pricing.extras:
        if count := _extra_items(model, extra, checked.values):
            lines.append(_line(extra.key, "generation", count, extra.price))
    return Quote(_charge_cents(lines), lines, price_version(model), measured.seconds)


def cost_usd(
    model: Model, route: Route, values: Mapping[str, Any], parts: Sequence[Mapping[str, object]]
) -> Decimal:
    """Return the provider's charge to us for an input that was priced as `parts`, in USD and not rounded.

    The first part has the quantity and the entry of the price, which measures of files may have decided.
    Raises `UnknownPriceError`.
    """
    facts = price_facts(model.input_class, values)
    base = parts[0] if parts else {}
    price = next((one for one in model.pricing.prices if one.key == base.get("key")), None)
    if price is None:
        raise UnknownPriceError(model.id, "no parts of its price", facts)
    sizes = {name: tier for name, tier in price.dimensions.items() if name in model.input_class.sizes}
    total = best_entry(model.id, route.costs, facts | sizes).cost * Decimal(str(base["quantity"]))
    return total + sum(
        (extra.cost * _extra_items(model, extra, values) for extra in route.extra_costs), Decimal(0)
    )


def _batch(model: Model, values: Mapping[str, Any]) -> Decimal:
    # A batch is one task with several results, each at the full price.
    return Decimal(1 if model.pricing.times is None else values.get(model.pricing.times, 1))


def _extra_items(model: Model, extra: Extra | ExtraCost, values: Mapping[str, Any]) -> Decimal:
    # Of each item above those that the price includes, and again for each result of a batch.
    return max(0, len(values.get(extra.counts, [])) - extra.free) * _batch(model, values)


def _charge_cents(lines: Sequence[PartView]) -> int:
    # Rounded once, here: lines rounded one by one could add up to another charge than their sum.
    total = sum((Decimal(line["amountUsd"]) for line in lines), Decimal(0))
    return money.cents_up(money.micro_usd_up(total))


def _marked_up(part: PartView, factor: Decimal) -> tuple[Decimal, Decimal]:
    return Decimal(part["quantity"]), Decimal(part["unitPriceUsd"]) * factor


def price_version(model: Model, markup_percent: int = 0) -> str:
    """Return a short name of exactly the model's prices with a mark-up. It ends in a checksum."""
    version = model.pricing.version
    if markup_percent:
        marked = hashlib.sha256(f"{version} {markup_percent}".encode()).hexdigest()
        version = marked[:PRICE_VERSION_CHARS]
    return _with_checksum(model, version)


def is_price_version(model: Model, text: str) -> bool:
    """Return whether `text` is a name of prices of this model, current or earlier.

    The checksum decides, because earlier prices are not stored.
    """
    return text.isascii() and text == _with_checksum(model, text[:PRICE_VERSION_CHARS])


def _with_checksum(model: Model, version: str) -> str:
    checksum = hashlib.sha256(f"{model.id} {version}".encode()).hexdigest()
    return version + checksum[:CHECKSUM_CHARS]


def price_facts(profile: "type[Profile]", values: Mapping[str, Any]) -> dict[str, str]:
    """The dimensions of an input as prices name them, e.g. `{"resolution": "720p", "audio": "true"}`."""
    facts = {
        dimension: profile.readings.get(dimension, dimension_text)(values[name])
        for dimension, name in profile.price_dimensions.items()
        if name in values
    }
    if profile.source_videos:
        facts["sourceVideo"] = dimension_text(profile.has_source_video(values))
    return facts


def _size_facts(pricing: Pricing, measured: Measured) -> dict[str, str]:
    """Return the tier of each measured size: the smallest tier of the prices that is large enough."""
    tiers = {
        name: next((tier for tier in pricing.tiers(name) if size <= tier), None)
        for name, size in measured.sizes.items()
    }
    return {name: str(tier) for name, tier in tiers.items() if tier is not None}


def dimension_text(value: object) -> str:
    """Return a field's value as a dimension's: true and false in JSON's words, the rest as it prints."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def best_entry(model_id: str, entries: Sequence[Entry], facts: Mapping[str, str]) -> Entry:
    """Return the entry that fits `facts` most closely; raises `UnknownPriceError` for none and for a tie."""
    # An entry with fewer dimensions than the input fits too. The entry with the most matches wins.
    fitting = [entry for entry in entries if entry.dimensions.items() <= facts.items()]
    if not fitting:
        raise UnknownPriceError(model_id, "no price", facts)
    most = max(len(entry.dimensions) for entry in fitting)
    best = [entry for entry in fitting if len(entry.dimensions) == most]
    # Either could be the wrong one. `lint.py` finds such data before it is served; here it must not charge.
    if len(best) > 1:
        raise UnknownPriceError(model_id, "more than one price", facts)
    return best[0]


def price_from(pricing: Pricing) -> Decimal:
    """Return the lowest price per unit. Extras, searches of the web and service tiers are not included."""
    return min(entry.price for entry in pricing.prices if entry.dimensions.keys().isdisjoint(BESIDE))


def _units(
    model: Model, values: Mapping[str, Any], source_seconds: Decimal, facts: Mapping[str, str]
) -> Decimal:
    """Return how many units are billed: one generation, or seconds, of the result and of its source."""
    unit = model.pricing.unit
    if unit == "generation":
        return Decimal(1)
    seconds = model.input_class.output_seconds(values, source_seconds)
    match model.pricing.source_seconds:
        case "added":
            seconds += source_seconds
        case "matched" if source_seconds:
            seconds += max(source_seconds, seconds)
    # A length of nothing would be free of charge, and the provider would bill us.
    if unit != "second" or seconds <= 0:
        raise UnknownPriceError(model.id, f"no {unit} to bill", facts)
    return seconds


def _line(key: str, unit: str, quantity: Decimal, unit_price: Decimal) -> PartView:
    return {
        "key": key,
        "unit": unit,
        "quantity": f"{quantity:f}",
        "unitPriceUsd": f"{unit_price:f}",
        "amountUsd": f"{quantity * unit_price:f}",
    }
