"""A model with its input and prices restricted to the values that its routes accept (`live_routes.py`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticUndefined

from tollgate.catalog.kinds import Choice, Kind
from tollgate.catalog.models import Model, Price, Pricing
from tollgate.catalog.pricing import dimension_text
from tollgate.catalog.restrictions import FieldRestriction, Restrictions

AcceptedValues = dict[str, list[Any]]


def with_route_limits(model: Model, accepted: AcceptedValues, max_items: Mapping[str, int]) -> Model:
    """Return `model` with only the `accepted` values of fields, and at most `max_items` items in arrays."""
    kinds = model.input_class.kinds()
    ordered = {name: _in_order(kinds[name], values) for name, values in accepted.items()}
    restrictions = _with_max_items(_with_accepted_values(model, ordered), max_items)
    return replace(model, restrictions=restrictions, pricing=_reachable_prices(model, ordered))


def _in_order(kind: Kind, values: list[Any]) -> list[Any]:
    order = kind.values if isinstance(kind, Choice) else tuple(sorted(values))
    return [value for value in order if value in values]


def _with_accepted_values(model: Model, accepted: AcceptedValues) -> Restrictions:
    """Return the restrictions with only the values taken, and without the fields of which none is.

    A default that is not among them gives way: to the one value that is left, else to the customer's choice.
    """
    restrictions = model.restrictions
    fields = dict(restrictions.fields)
    for name, values in accepted.items():
        # If no route accepts the default, it would refuse every request that omits the field.
        update: dict[str, Any] = {"options": values}
        if model.input_class.model_fields[name].default not in (None, PydanticUndefined, *values):
            update |= {"default": values[0]} if len(values) == 1 else {"required": True}
        before = fields.pop(name, FieldRestriction())
        if values:
            fields[name] = replace(before, **update)
    dropped = [name for name, values in accepted.items() if not values]
    return replace(restrictions, fields=fields, drop=[*restrictions.drop, *dropped])


def _with_max_items(restrictions: Restrictions, max_items: Mapping[str, int]) -> Restrictions:
    """Return the restrictions with these arrays no longer than this."""
    fields = dict(restrictions.fields)
    for name, number in max_items.items():
        fields[name] = replace(fields.get(name, FieldRestriction()), max_items=number)
    return replace(restrictions, fields=fields)


def _reachable_prices(model: Model, accepted: AcceptedValues) -> Pricing:
    """Return the prices that an input can still have, with a default among them."""
    prices = [price for price in model.pricing.prices if _is_reachable(model, price, accepted)]
    if not any(price.is_default for price in prices):
        # The published catalog marks one price as the default. The marked price may be out of reach.
        prices[0] = replace(prices[0], is_default=True)
    extras = [extra for extra in model.pricing.extras if accepted.get(extra.counts) != []]
    return replace(model.pricing, prices=prices, extras=extras)


def _is_reachable(model: Model, price: Price, accepted: AcceptedValues) -> bool:
    profile = model.input_class
    sources = [accepted.get(name) for name in profile.source_videos]
    if price.dimensions.get("sourceVideo") == "true" and sources and all(one == [] for one in sources):
        return False
    for dimension, value in price.dimensions.items():
        name = profile.price_dimensions.get(dimension)
        read = profile.readings.get(dimension, dimension_text)
        if name in accepted and value not in map(read, accepted[name]):
            return False
    return True
