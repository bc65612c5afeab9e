"""The cost of a usage, and the hold before it is known (docs/architecture.md#money). Pure.

A price of X USD per 1M tokens is X micro-USD per token, so sums are exact and are rounded up once per
request. Law: if the provider keeps the limit of a `HoldPlan`, and the input is within its bound, the charge
never exceeds the hold.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

from tollgate.kit.money import micro_usd_up
from tollgate.text.models import BATCH, TextModel, TokenPrices
from tollgate.text.usage import Usage

# The least that is worth starting: a limit that we set is never below this (docs/architecture.md#money).
LEAST_OUTPUT_TOKENS = 4_096
# A request that the balance does not cover in full may hold this fraction of it: a quarter.
BALANCE_SHARE = 4

# The most tokens that the results of a search of the web add to the input (INFERRED: Anthropic's examples
# have 7,000 to 15,000, and OpenAI's older models are billed 8,000).
SEARCH_TOKENS = 16_384
# Of a request that searches, the most times that a provider reads the input again: it pauses then
# (docs/providers/anthropic.md#web-search).
MAX_SEARCH_STEPS = 10

_USD_EXPONENT = -6


@dataclass(frozen=True, slots=True)
class Demand:
    """The most that a request can use: input tokens, and the limit of output.

    Besides, there are search units, characters to speak, and the seconds of a recording, if they are priced.

    `searches` are searches of the web, and `search_steps` the steps of a search that takes more steps than it
    has searches. `may_skip_search`: the request can be answered without them. `service` is the service tier.
    """

    input_tokens: int
    output_limit: int | None
    answers: int = 1
    search_units: int = 0
    characters: int = 0
    seconds: int = 0
    searches: int = 0
    search_steps: int = 0
    may_skip_search: bool = False
    service: str = ""

    @property
    def has_only_tokens(self) -> bool:
        """Return whether it counts nothing beside tokens."""
        return not (self.search_units or self.characters or self.seconds or self.searches)

    def searching(self, searches: int) -> "Demand":
        """Return the demand with another number of searches of the web."""
        return replace(self, searches=searches)

    def total_input(self, context_tokens: int) -> int:
        """Return the most input tokens that a model with such a context can count.

        After each step of a search, the provider reads the input again, with the results so far.
        """
        if not self.searches:
            return self.input_tokens
        steps = min(max(self.searches, self.search_steps), MAX_SEARCH_STEPS)
        # Each step has one more result, unless it may be a step without a search.
        found = (self.searches if self.search_steps else self.searches - step for step in range(steps))
        again = (min(self.input_tokens + results * SEARCH_TOKENS, context_tokens) for results in found)
        return self.input_tokens + sum(again)


@dataclass(frozen=True, slots=True)
class HoldPlan:
    """How much to hold, and the output limit that it pays for.

    `passed_limit` is sent to the provider as its limit if the balance does not cover the client's limit, or
    the model's maximum if there is none. Otherwise it is `None`, and the request's limit is unchanged.
    `searches` are the searches of the web that it pays for. Without any, the request is sent without its
    search.
    """

    amount_micro_usd: int
    output_limit: int
    passed_limit: int | None = None
    searches: int = 0

    def cuts(self, output_tokens: int, answers: int) -> bool:
        """Return whether the balance ended output of this length, and not the request's own limit."""
        return self.passed_limit is not None and output_tokens >= self.passed_limit * answers


def charge_micro_usd(usage: Usage, model: TextModel) -> int:
    """Return the cost of `usage`, rounded up once. The tier of the whole input prices all of it."""
    return _rounded_up(exact_micro_usd(usage, model))


def charge_and_input(usage: Usage, model: TextModel) -> tuple[int, int]:
    """Return the charge, and the part of it that is no output and no search of the web, rounded up each."""
    charge = source = model.prices.of_seconds(usage.seconds)
    for name, count, price in _priced(usage, model):
        charge += count * price
        if name not in _OUTPUTS:
            source += count * price
    return _rounded_up(charge), _rounded_up(source)


def markup_micro_usd(usage: Usage, model: TextModel, charge: int) -> int:
    """Return the part of a charge that the parent of a sub-account earns; 0 at Tollgate's own prices.

    Tollgate's price comes first, if the charge is less than the cost of `usage`.
    """
    return 0 if model.unmarked is None else max(0, charge - charge_micro_usd(usage, model.unmarked))


def exact_micro_usd(usage: Usage, model: TextModel) -> Decimal:
    """Return the cost of `usage` in micro-USD before it is rounded."""
    exact = model.prices.of_seconds(usage.seconds)
    for _, count, price in _priced(usage, model):
        exact += count * price
    return exact


def unit_prices(usage: Usage, model: TextModel) -> dict[str, str]:
    """Return the prices that `charge_micro_usd` applies to the counts of `usage` that are not 0.

    They are US dollars per million, by the name of the count. The price of `seconds` is per minute.
    """
    priced = _priced(usage, model)
    # Tokens are only counted if searches have the price.
    is_by_search = usage.search_units > 0
    found = {name: f"{price:f}" for name, _, price in priced if price or not is_by_search}
    return found | ({"seconds": f"{model.prices.minute or 0:f}"} if usage.seconds else {})


# The counts of a usage that can have a price in a tier, and this price. Most counts are 0.
_PRICES: Mapping[str, Callable[[TokenPrices], Decimal]] = {
    "input_tokens": lambda prices: prices.input,
    "cache_read_tokens": TokenPrices.of_cache_read,
    "cache_write_tokens": TokenPrices.of_cache_write,
    "cache_write_1h_tokens": TokenPrices.of_cache_write_1h,
    "output_tokens": lambda prices: prices.output,
    "image_tokens": TokenPrices.of_image_output,
    "search_units": lambda prices: prices.search,
    "characters": TokenPrices.of_character,
}
_OUTPUTS = ("output_tokens", "image_tokens", "web_searches")


def _priced(usage: Usage, model: TextModel) -> Iterator[tuple[str, int, Decimal]]:
    """Return the counts of a usage that are not 0 and can have a price: name, count, price in micro-USD."""
    prices = model.prices_for(usage.total_input_tokens, usage.service)
    for name, price_of in _PRICES.items():
        if count := getattr(usage, name):
            yield name, count, price_of(prices)
    if usage.web_searches:
        yield "web_searches", usage.web_searches, model.prices.of_web_search()


def full_hold(demand: Demand, model: TextModel) -> HoldPlan:
    """Return the hold that covers the client's limit, or the model's maximum if the client set none."""
    limit = model.max_output_tokens
    if demand.output_limit is not None:
        limit = min(limit, demand.output_limit)
    return HoldPlan(_rounded_up(_most(demand, model, limit)), limit, searches=demand.searches)


def affordable_hold(demand: Demand, model: TextModel, balance_micro_usd: int) -> HoldPlan:
    """Return the hold for an account with that balance. A hold above the balance is refused (402).

    If the balance does not cover the client's limit, or the model's maximum without one, the hold is at most
    a quarter of the balance. It covers at least `LEAST_OUTPUT_TOKENS`, or the client's limit if that is less.
    Before the output, it is the searches of the web that become fewer.
    """
    demand = _with_fewer_searches(demand, model, balance_micro_usd)
    full = full_hold(demand, model)
    # Speech has no limit of output that a provider could be sent.
    if full.amount_micro_usd <= balance_micro_usd or model.speech is not None:
        return full
    least = min(LEAST_OUTPUT_TOKENS, full.output_limit)
    limit = max(least, _tokens_within(demand, model, balance_micro_usd // BALANCE_SHARE))
    if limit >= full.output_limit:
        return full
    return HoldPlan(_rounded_up(_most(demand, model, limit)), limit, limit, demand.searches)


def _with_fewer_searches(demand: Demand, model: TextModel, budget_micro_usd: int) -> Demand:
    """Return the demand with as many searches as the budget covers with the whole output, or the fewest."""
    fewest = 0 if demand.may_skip_search else 1
    while demand.searches > fewest and full_hold(demand, model).amount_micro_usd > budget_micro_usd:
        demand = demand.searching(demand.searches - 1)
    return demand


def hold_within(demand: Demand, model: TextModel, held: HoldPlan) -> HoldPlan:
    """Return the plan of one of several models under a hold that covers the most expensive of them.

    The client's limit, or the model's maximum without one, if the hold covers that; else the tokens that the
    hold pays for.
    """
    demand = _with_fewer_searches(demand, model, held.amount_micro_usd)
    full = full_hold(demand, model)
    if full.amount_micro_usd <= held.amount_micro_usd:
        return replace(full, amount_micro_usd=held.amount_micro_usd)
    limit = max(1, _tokens_within(demand, model, held.amount_micro_usd))
    return HoldPlan(held.amount_micro_usd, limit, limit, demand.searches)


def dearest_prices(demand: Demand, model: TextModel) -> tuple[Decimal, Decimal]:
    """Return the highest prices of input and of output that a request can have, in USD per 1M tokens."""
    reachable = _reachable(demand, model)
    return max(prices.input for prices in reachable), _dearest_output(demand, model)


def _tokens_within(demand: Demand, model: TextModel, budget_micro_usd: int) -> int:
    left = budget_micro_usd - _most(demand, model, 0)
    per_token = _dearest_output(demand, model) * demand.answers
    if per_token == 0:
        return model.max_output_tokens
    tokens = int((left / per_token).to_integral_value(rounding=ROUND_FLOOR))
    return min(tokens, model.max_output_tokens)


def _most(demand: Demand, model: TextModel, output_limit: int) -> Decimal:
    reachable = _reachable(demand, model)
    dearest_input = max([prices.dearest_input() for prices in reachable])
    dearest_output = max([prices.dearest_output() for prices in reachable])
    output_tokens = output_limit * demand.answers
    input_tokens = demand.total_input(model.context_tokens)
    tokens = input_tokens * dearest_input + output_tokens * dearest_output
    if demand.has_only_tokens:
        return tokens
    others = demand.search_units * model.prices.search + demand.characters * model.prices.of_character()
    others += demand.searches * model.prices.of_web_search()
    return tokens + others + model.prices.of_seconds(demand.seconds)


def _dearest_output(demand: Demand, model: TextModel) -> Decimal:
    return max(prices.dearest_output() for prices in _reachable(demand, model))


def _reachable(demand: Demand, model: TextModel) -> list[TokenPrices]:
    # The input can be smaller than its bound, and a higher tier is not always more expensive.
    most = demand.total_input(model.context_tokens)
    tiers = [tier.prices for tier in model.tiers if most >= tier.from_tokens]
    factor = model.services.get(demand.service, Decimal(1))
    # A provider may answer in the ordinary tier instead, but not in a batch.
    factor = factor if demand.service == BATCH else max(Decimal(1), factor)
    found = [model.prices, *tiers]
    return found if factor == 1 else [prices.times(factor) for prices in found]


def _rounded_up(amount_micro_usd: Decimal) -> int:
    return micro_usd_up(amount_micro_usd.scaleb(_USD_EXPONENT))
