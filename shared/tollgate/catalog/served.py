"""A model as it can be run now: only its live routes, and of its input only what one of them takes.

So a customer is never charged for a value that no provider could carry, and the published input says so.
"""

from typing import Any, TypeVar

from pydantic_core import PydanticUndefined

from tollgate.catalog.kinds import Choice
from tollgate.catalog.models import Model, Price, Pricing, Route
from tollgate.catalog.pricing import dimension_text
from tollgate.catalog.restrictions import Data, FieldRestriction, Restrictions

DataT = TypeVar("DataT", bound=Data)
Taken = dict[str, list[Any]]


def with_routes(model: Model, routes: list[Route]) -> Model:
    """Return `model` with these of its routes, narrowed to what they take between them."""
    taken, most = _taken(routes), _most_items(routes)
    if not taken and not most:
        return _changed(model, routes=routes)
    kinds = model.input_class.kinds()
    for name, values in taken.items():
        kind = kinds[name]
        order = kind.values if isinstance(kind, Choice) else tuple(sorted(values))
        taken[name] = [value for value in order if value in values]
    restrictions = _shortened(_narrowed(model, taken), most)
    return _changed(model, routes=routes, restrictions=restrictions, pricing=_priced(model, taken))


def _taken(routes: list[Route]) -> Taken:
    """Return, for each field that every route limits, the values that any of them takes."""
    if not routes:
        return {}
    # One route without a limit on a field takes all of its values, so only what every route limits is
    # narrowed.
    limited = set.intersection(*(set(route.takes) for route in routes))
    return {
        name: list(dict.fromkeys(value for route in routes for value in route.takes[name]))
        for name in limited
    }


def _most_items(routes: list[Route]) -> dict[str, int]:
    """Return, for each array that every route bounds, the most items that any of them takes."""
    if not routes:
        return {}
    bounded = set.intersection(*(set(route.max_items) for route in routes))
    return {name: max(route.max_items[name] for route in routes) for name in bounded}


def _narrowed(model: Model, taken: Taken) -> Restrictions:
    """Return the restrictions with only the values taken, and without the fields of which none is.

    A default that is not among them gives way: to the one value that is left, else to the customer's choice.
    """
    restrictions = model.restrictions
    fields = dict(restrictions.fields)
    for name, values in taken.items():
        # A default that nobody takes would refuse every request that leaves the field out.
        update: dict[str, Any] = {"options": values}
        if model.input_class.model_fields[name].default not in (None, PydanticUndefined, *values):
            update |= {"default": values[0]} if len(values) == 1 else {"required": True}
        before = fields.pop(name, FieldRestriction())
        if values:
            fields[name] = before.model_copy(update=update)
    dropped = [name for name, values in taken.items() if not values]
    return restrictions.model_copy(update={"fields": fields, "drop": [*restrictions.drop, *dropped]})


def _shortened(restrictions: Restrictions, most: dict[str, int]) -> Restrictions:
    """Return the restrictions with these arrays no longer than this."""
    fields = dict(restrictions.fields)
    for name, number in most.items():
        fields[name] = fields.get(name, FieldRestriction()).model_copy(update={"max_items": number})
    return restrictions.model_copy(update={"fields": fields})


def _priced(model: Model, taken: Taken) -> Pricing:
    """Return the prices that an input can still have; one of them is the default."""
    prices = [price for price in model.pricing.prices if _is_reachable(model, price, taken)]
    if not any(price.is_default for price in prices):
        # The published catalog marks one price as the default; the one that had the mark may be out of reach.
        prices[0] = prices[0].model_copy(update={"is_default": True})
    extras = [extra for extra in model.pricing.extras if taken.get(extra.counts) != []]
    return _changed(model.pricing, prices=prices, extras=extras)


def _is_reachable(model: Model, price: Price, taken: Taken) -> bool:
    profile = model.input_class
    sources = [taken.get(name) for name in profile.source_videos]
    if price.dimensions.get("sourceVideo") == "true" and sources and all(one == [] for one in sources):
        return False
    for dimension, value in price.dimensions.items():
        name = profile.price_dimensions.get(dimension)
        read = profile.readings.get(dimension, dimension_text)
        if name in taken and value not in map(read, taken[name]):
            return False
    return True


def _changed(data: DataT, **update: Any) -> DataT:
    """Return a copy with other fields, and without what was worked out from the old ones."""
    copy = data.model_copy(update=update)
    # `cached_property` keeps its values in there, and pydantic copies them along.
    for name in copy.__dict__.keys() - type(copy).model_fields.keys():
        del copy.__dict__[name]
    return copy
