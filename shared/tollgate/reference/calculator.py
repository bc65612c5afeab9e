"""The calculator on a model's page. It uses the published prices and the code that charges. Pure."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import quote
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import dollars, usd
from tollgate.reference.generations import example_input

_S_PER_MINUTE = 60
_MEGATOKEN = 1_000_000
_PLACES = Decimal("0.000001")
LENGTH = "duration"


def fields_of(model: Model, params: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the params on which the price depends and that need no file."""
    names = {*model.input_class.price_dimensions.values(), model.pricing.times, LENGTH}
    return [param for param in params if param["name"] in names and not param["isMedia"]]


def media_price(model: Model, values: Mapping[str, Any], times: int = 1) -> str:
    """Return the price of `times` generations with `values` and the rest of the example, or the problem."""
    # The example adds fields without a price, such as a prompt, so that the checks of a create can pass.
    given = {**(example_input(model) or {}), **values}
    try:
        return dollars(times * quote(model, model.check(given)).charge_cents)
    except InvalidInputError as exc:
        return "; ".join(f"{one.path.removeprefix('/input/')}: {one.message}" for one in exc.problems)
    # A create reads the length of a file, but the calculator has no file.
    except UnknownPriceError:
        return "Depends on your file"


def text_price(model: CatalogTextModel, input_tokens: int, output_tokens: int, times: int = 1) -> str:
    """Return the cost of `times` requests with these numbers of tokens, without a cache, in US dollars."""
    reached = [tier for tier in model.long_context if tier.from_tokens <= input_tokens]
    prices = max(reached, key=lambda tier: tier.from_tokens) if reached else model.prices
    if prices.minute is not None:
        # The input is counted in seconds then, and in characters if they are priced.
        cost = prices.minute * input_tokens / _S_PER_MINUTE
        return usd(times * cost.quantize(_PLACES, ROUND_CEILING))
    unit_price = prices.of_input() if prices.character is None else prices.character
    cost = (unit_price * input_tokens + prices.of_output() * output_tokens) / _MEGATOKEN
    # Each request is rounded up to the micro-USD, like its charge.
    return usd(times * cost.quantize(_PLACES, ROUND_CEILING))
