"""What the calculator of a model's page says: by the published prices, with the code that charges. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import ListedTextModel, Model
from tollgate.catalog.pricing import quote
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import dollars, usd
from tollgate.reference.generations import example_input

_MEGATOKEN = 1_000_000
_PLACES = Decimal("0.000001")
LENGTH = "duration"


def fields_of(model: Model, params: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the params on which the price depends and that need no file."""
    names = {*model.input_class.price_dimensions.values(), model.pricing.times, LENGTH}
    return [param for param in params if param["name"] in names and not param["isMedia"]]


def media_price(model: Model, values: Mapping[str, Any]) -> str:
    """Return what a generation costs with `values` and, for the rest, the model's example; or why not."""
    # The example fills in what has no price, a prompt for one, so that the checks of a create can pass.
    given = {**(example_input(model) or {}), **values}
    try:
        return dollars(quote(model, model.check(given)).charge_cents)
    except InvalidInputError as exc:
        return "; ".join(f"{one.path.removeprefix('/input/')}: {one.message}" for one in exc.problems)
    # Seconds of a file are probed at a create; here there is none.
    except UnknownPriceError:
        return "Depends on the length of your file"


def text_price(model: ListedTextModel, input_tokens: int, output_tokens: int) -> str:
    """Return what a request of so many tokens costs, without a cache, in whole micro-dollars."""
    reached = [tier for tier in model.long_context if tier.from_tokens <= input_tokens]
    prices = max(reached, key=lambda tier: tier.from_tokens) if reached else model.prices
    cost = (prices.input * input_tokens + prices.of_output() * output_tokens) / _MEGATOKEN
    # To the micro-dollar, as text is charged.
    return usd(cost.quantize(_PLACES))
