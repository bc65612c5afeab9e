"""Rules for the catalog's data, beyond its shape (docs/catalog.md, docs/decisions/0002-prices.md).

A test checks the shipped data, and data that replaces it at run time must pass first.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product

from tollgate.catalog.errors import CatalogError, UnknownPriceError
from tollgate.catalog.kinds import Choice, Flag, Kind, Many, Whole
from tollgate.catalog.models import Cost, Extra, ExtraCost, Model, Price, Route
from tollgate.catalog.pricing import best_entry, dimension_text
from tollgate.catalog.profiles.base import Profile
from tollgate.catalog.text_models import CatalogTextModel, CatalogTextRoute, CatalogTokenPrices, LongContext

# Every combination of values is looked at, so no dimension may have very many.
MAX_DIMENSION_VALUES = 64
CENT = Decimal("0.01")

Facts = dict[str, str]


def faults(model: Model) -> list[str]:
    """Return the faults of `model`, each as `<model id>: <field>: <reason>`; none if it is good."""
    found = [] if model.capabilities else ["capabilities: must not be empty"]
    try:
        profile = model.input_class
        found += _price_faults(model, profile.kinds())
        found += [fault for route in model.routes for fault in _takes_faults(route, profile)]
        for facts in _every_fact(model, profile):
            found += _cost_faults(model, profile, facts)
    except CatalogError as error:
        found.append(str(error))
    except UnknownPriceError as error:
        found.append(f"pricing: {error.reason} for {dict(error.facts)}")
    return [f"{model.id}: {fault}" for fault in found]


def text_faults(model: CatalogTextModel) -> list[str]:
    """Return the faults of a text model, in the form of `faults`."""
    found: list[str] = []
    tiers = [tier.from_tokens for tier in model.long_context]
    if tiers != sorted(set(tiers)):
        found.append("longContext: tiers must rise")
    found += _limit_faults(model)
    for route in model.routes:
        if route.enabled:
            found += _route_token_faults(model, route)
    return [f"{model.id}: {fault}" for fault in found]


def shipped_faults(model: Model | CatalogTextModel, languages: Collection[str]) -> list[str]:
    """Return the missing parts that only the shipped data must have.

    They are a description in each of the `languages`, the reason why a route is off, and the reason for
    having no reserve. They affect no charge, so data that an operator pushes is not checked for them.
    """
    missing = sorted(set(languages) - model.description_locales.keys())
    found = [f"descriptionLocales: {language} is missing" for language in missing]
    found += [
        f"routes: {route.provider} is disabled without a reason"
        for route in model.routes
        if not route.enabled and route.why is None
    ]
    providers = {route.provider for route in model.routes if route.enabled}
    if len(providers) == 1 and model.single_route is None and not model.free:
        found.append(f"singleRoute: must say why only {providers.pop()} can run it")
    if len(providers) > 1 and model.single_route is not None:
        found.append("singleRoute: there are more")
    return [f"{model.id}: {fault}" for fault in found]


def _limit_faults(model: CatalogTextModel) -> Iterator[str]:
    """Find a limit above that of every route. Such a request would be refused, because no route takes it."""
    routes = [route for route in model.routes if route.enabled]
    for name, limit, own in (
        ("contextTokens", model.context_tokens, [route.context_tokens for route in routes]),
        ("maxOutputTokens", model.max_output_tokens, [route.max_output_tokens for route in routes]),
    ):
        most = max((bound or limit for bound in own), default=limit)
        if most < limit:
            yield f"{name}: no route takes more than {most}"


def _route_token_faults(model: CatalogTextModel, route: CatalogTextRoute) -> Iterator[str]:
    """Compare price and cost at every size of input where either of them changes."""
    yield from _token_faults(model.prices, route.cost, route.provider)
    # The same for an input of any size.
    search, asked = model.prices.web_search or Decimal(0), route.cost.web_search or Decimal(0)
    if search < asked:
        yield f"prices: webSearch: {search} is under the {asked} of {route.provider}"
    for service, factor in route.services.items():
        if model.services.get(service, Decimal(0)) < factor:
            yield f"services: {service}: its factor is under the {factor} of {route.provider}"
    sizes = {tier.from_tokens for tier in (*model.long_context, *route.long_context)}
    for size in sorted(sizes):
        price, paid = _tier_at(size, model.long_context), _tier_at(size, route.long_context)
        # Inputs beyond the route's own bound are never sent to it.
        if route.context_tokens is None or size < route.context_tokens:
            yield from _token_faults(price or model.prices, paid or route.cost, route.provider)


def _tier_at(size: int, tiers: Sequence[LongContext]) -> LongContext | None:
    reached = [tier for tier in tiers if tier.from_tokens <= size]
    return max(reached, key=lambda tier: tier.from_tokens) if reached else None


def _token_faults(prices: CatalogTokenPrices, cost: CatalogTokenPrices, provider: str) -> Iterator[str]:
    """Compare price and cost of each kind of token; a cache price that is left out is the input's."""
    kinds = {
        "input": (prices.of_input(), cost.of_input()),
        "output": (prices.of_output(), cost.of_output()),
        "minute": (prices.minute or Decimal(0), cost.minute or Decimal(0)),
        "character": (prices.character or Decimal(0), cost.character or Decimal(0)),
        # Without a cache price, cached tokens are billed as input, by us and to us.
        "cacheRead": (prices.cache_read or prices.of_input(), cost.cache_read or cost.of_input()),
        "cacheWrite": (prices.cache_write or prices.of_input(), cost.cache_write or cost.of_input()),
        "search": (prices.of_search(), cost.of_search()),
        "imageOutput": (prices.image_output or Decimal(0), cost.image_output or Decimal(0)),
    }
    for name, (price, paid) in kinds.items():
        # At cost is allowed, under it never (docs/decisions/0002-prices.md).
        if price < paid:
            yield f"prices: {name}: {price} is under the {paid} of {provider}"


def _price_faults(model: Model, kinds: Mapping[str, Kind]) -> Iterator[str]:
    pricing = model.pricing
    keys = [price.key for price in pricing.prices] + [extra.key for extra in pricing.extras]
    if len(set(keys)) < len(keys):
        yield "pricing: a key occurs twice"
    if sum(price.is_default for price in pricing.prices) != 1:
        yield "pricing: exactly one price must be the default"
    per_generation: list[Price | Extra] = [*pricing.extras]
    if pricing.unit == "generation":
        per_generation += pricing.prices
    for entry in per_generation:
        # A charge is rounded up to whole cents, so a fraction of a cent would cost more than its list price.
        if entry.price % CENT:
            yield f"pricing: {entry.key}: a price per generation must be whole cents"
    for extra in pricing.extras:
        if not isinstance(kinds.get(extra.counts), Many):
            yield f"pricing: {extra.key}: counts {extra.counts!r}, which is not an array of the input"
    if pricing.times is not None and not isinstance(kinds.get(pricing.times), Choice | Whole):
        yield f"pricing: times: {pricing.times!r} is no number of the input"


def _takes_faults(route: Route, profile: type[Profile]) -> Iterator[str]:
    kinds = profile.kinds()
    for name, values in route.takes.items():
        kind = kinds.get(name)
        if name not in profile.model_fields:
            yield f"routes: {route.provider} takes {name!r}, which is not a field of the profile"
        elif values and isinstance(kind, Choice) and not set(kind.values) & set(values):
            yield f"routes: {route.provider} takes no value of {name} that the model has"
    for name, most in route.max_items.items():
        kind = kinds.get(name)
        if not isinstance(kind, Many) or not kind.min_items <= most <= kind.max_items:
            yield f"routes: {route.provider} takes {most} {name!r}, which the model cannot have"


def _every_fact(model: Model, profile: type[Profile]) -> Iterator[Facts]:
    """Return every combination of the values that the dimensions of prices and costs can have."""
    priced: list[Price | Cost] = [*model.pricing.prices]
    priced += [cost for route in model.routes for cost in route.costs]
    names = sorted({name for entry in priced for name in entry.dimensions})
    values = [_tiers(model, profile, name) or _dimension_values(profile, name) for name in names]
    for entry in priced:
        for name, value in entry.dimensions.items():
            # It would never be charged: a value that is misspelt, and whose inputs pay another price.
            if value not in values[names.index(name)]:
                raise CatalogError(f"pricing: dimension {name} is never {value!r}")
    return (dict(zip(names, combination, strict=True)) for combination in product(*values))


def _tiers(model: Model, profile: type[Profile], dimension: str) -> list[str]:
    """Return the tiers of a measured dimension in the prices. A cost with another tier is a fault."""
    return [str(tier) for tier in model.pricing.tiers(dimension)] if dimension in profile.sizes else []


def _dimension_values(profile: type[Profile], dimension: str) -> list[str]:
    kinds = profile.kinds()
    if dimension == "sourceVideo" and profile.source_videos:
        return ["true", "false"] if kinds.keys() & set(profile.source_videos) else ["false"]
    read = profile.readings.get(dimension, dimension_text)
    match kinds.get(profile.price_dimensions.get(dimension, "")):
        case Choice(values=values):
            return list(dict.fromkeys(read(value) for value in values))
        case Flag(only=only):
            return ["true", "false"] if only is None else [dimension_text(only)]
        case Whole(minimum=low, maximum=high) if high - low < MAX_DIMENSION_VALUES:
            return [str(value) for value in range(low, high + 1)]
        case _:
            raise CatalogError(f"pricing: dimension {dimension} can have no list of values")


def _cost_faults(model: Model, profile: type[Profile], facts: Facts) -> Iterator[str]:
    price = best_entry(model.id, model.pricing.prices, facts)
    for route in model.routes:
        # A disabled route costs nothing. The data that enables it is checked again.
        if not route.enabled or not _can_have(route, profile, facts):
            continue
        try:
            cost = best_entry(model.id, route.costs, facts)
        except UnknownPriceError:
            yield f"routes: {route.provider} needs one cost for {facts}, or a `takes` that excludes it"
            continue
        if price.price < cost.cost:
            yield f"pricing: {price.key}: {price.price} is under the {cost.cost} of {route.provider}"
        # The margin of the price itself may pay for extras.
        spare = (price.price - cost.cost) * _least_units(model, profile)
        yield from _extra_faults(model.pricing.extras, route, profile, spare)


def _can_have(route: Route, profile: type[Profile], facts: Facts) -> bool:
    """Return whether the route can get an input with these facts at all."""
    sources = [route.takes.get(name) for name in profile.source_videos]
    # An empty list means that the route does not accept the field.
    if facts.get("sourceVideo") == "true" and all(taken == [] for taken in sources):
        return False
    for dimension, value in facts.items():
        taken = route.takes.get(profile.price_dimensions.get(dimension, ""))
        read = profile.readings.get(dimension, dimension_text)
        if taken is not None and value not in map(read, taken):
            return False
    return True


def _extra_faults(
    extras: Sequence[Extra], route: Route, profile: type[Profile], spare: Decimal
) -> Iterator[str]:
    for counts in {one.counts for one in route.extra_costs}:
        kind = profile.kinds().get(counts)
        most = (
            min(kind.max_items, route.max_items.get(counts, kind.max_items)) if isinstance(kind, Many) else 0
        )
        # Check each number separately: the free items may differ, so the last number is not always the worst.
        for number in range(1, most + 1):
            billed, paid = _for_items(extras, counts, number), _for_items(route.extra_costs, counts, number)
            if billed + spare < paid:
                yield f"pricing: {number} {counts} are billed less than the {paid} of {route.provider}"
                break


def _for_items(entries: Sequence[Extra | ExtraCost], counts: str, number: int) -> Decimal:
    """Return the price of `number` items of the array `counts` by `entries`."""
    found = Decimal(0)
    for entry in entries:
        if entry.counts == counts:
            each = entry.price if isinstance(entry, Extra) else entry.cost
            found += each * max(0, number - entry.free)
    return found


def _least_units(model: Model, profile: type[Profile]) -> int:
    """Return the fewest units that a request can have: one generation, or the shortest duration."""
    match profile.kinds().get("duration"):
        case Whole(minimum=least) if model.pricing.unit == "second":
            return max(least, 1)
        case Choice(values=values) if model.pricing.unit == "second":
            return max(int(min(values)), 1)
        case _:
            return 1
