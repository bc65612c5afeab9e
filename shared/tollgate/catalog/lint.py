"""What the catalog's data must keep to, beyond its shape: a test holds the shipped data to it, and data
that replaces it at run time must pass it first (design §7, docs/decisions/0002-prices.md)."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import product

from tollgate.catalog.errors import CatalogError, UnknownPriceError
from tollgate.catalog.kinds import Choice, Flag, Kind, Many, Whole
from tollgate.catalog.models import Cost, Extra, Model, Price, Route
from tollgate.catalog.pricing import best_entry, dimension_text

MAX_DIMENSION_VALUES = 64
MIN_LOCALES = 4
CENT = Decimal("0.01")


def faults(model: Model) -> list[str]:
    """Give what is wrong with `model`, each as `<model id>: <field>: <reason>`; none is good."""
    found = [*_text_faults(model)]
    try:
        kinds = model.input_class.kinds()
        found += _price_faults(model, kinds)
        for facts in _every_fact(model, kinds):
            found += _cost_faults(model, facts)
    except CatalogError as error:
        found.append(str(error))
    except UnknownPriceError as error:
        found.append(f"pricing: {error.reason} for {dict(error.facts)}")
    return [f"{model.id}: {fault}" for fault in found]


def _text_faults(model: Model) -> Iterator[str]:
    if len(model.description_locales) < MIN_LOCALES:
        yield f"descriptionLocales: needs at least {MIN_LOCALES}"
    if not model.capabilities:
        yield "capabilities: must not be empty"


def _price_faults(model: Model, kinds: Mapping[str, Kind]) -> Iterator[str]:
    pricing = model.pricing
    keys = [price.key for price in pricing.prices] + [extra.key for extra in pricing.extras]
    if len(set(keys)) < len(keys):
        yield "pricing: a key stands twice"
    if sum(price.is_default for price in pricing.prices) != 1:
        yield "pricing: exactly one price must be the default"
    per_generation: list[Price | Extra] = [*pricing.extras]
    if pricing.unit == "generation":
        per_generation += pricing.prices
    for entry in per_generation:
        if entry.price % CENT:
            yield f"pricing: {entry.key}: a price per generation must be whole cents"
    for extra in pricing.extras:
        if not isinstance(kinds.get(extra.counts), Many):
            yield f"pricing: {extra.key}: counts {extra.counts!r}, which is no array of the input"
    if pricing.times is not None and not isinstance(kinds.get(pricing.times), Choice | Whole):
        yield f"pricing: times: {pricing.times!r} is no number of the input"


def _every_fact(model: Model, kinds: Mapping[str, Kind]) -> Iterator[dict[str, str]]:
    """Give every combination of the values that the dimensions of prices and costs can have."""
    priced: list[Price | Cost] = [*model.pricing.prices]
    priced += [cost for route in model.routes for cost in route.costs]
    names = sorted({name for entry in priced for name in entry.dimensions})
    values = [_dimension_values(model, kinds, name) for name in names]
    for entry in priced:
        for name, value in entry.dimensions.items():
            if value not in values[names.index(name)]:
                raise CatalogError(f"pricing: dimension {name} is never {value!r}")
    return (dict(zip(names, combination, strict=True)) for combination in product(*values))


def _dimension_values(model: Model, kinds: Mapping[str, Kind], dimension: str) -> list[str]:
    if dimension == "sourceVideo" and model.input_class.source_videos:
        return ["true", "false"]
    match kinds.get(model.input_class.dimensions.get(dimension, "")):
        case Choice(values=values):
            return [dimension_text(value) for value in values]
        case Flag():
            return ["true", "false"]
        case Whole(minimum=low, maximum=high) if high - low < MAX_DIMENSION_VALUES:
            return [str(value) for value in range(low, high + 1)]
        case _:
            raise CatalogError(f"pricing: dimension {dimension} can have no list of values")


def _cost_faults(model: Model, facts: dict[str, str]) -> Iterator[str]:
    price = best_entry(model.id, model.pricing.prices, facts)
    for route in _enabled(model):
        cost = best_entry(model.id, route.costs, facts)
        if price.price < cost.cost:
            yield f"pricing: {price.key}: {price.price} is under the {cost.cost} of {route.provider}"


def _enabled(model: Model) -> list[Route]:
    return [route for route in model.routes if route.enabled]
