"""The prices of a model as text for pages: one line for a card, and the condition of each price. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.loader import AnyModel, Catalog
from tollgate.catalog.models import Model, Price
from tollgate.catalog.pricing import quote
from tollgate.catalog.text_models import CatalogTextModel, CatalogTokenPrices
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.money import price_in_text, usd
from tollgate.reference.generations import example_input

PER_MEGATOKEN = "per 1M tokens"
# The units of prices that have no other beside them.
_ONLY = {"search": "per search", "character": "per 1M characters", "minute": "per minute"}
_THOUSAND = 1000
# The conditions of prices by the size of the result, which is measured (catalog/profiles/upscale.py).
_UP_TO = {"longSide": "long side up to {} px", "megapixels": "up to {} megapixels"}
_RESULT = {"IMAGE": "image", "VIDEO": "video", "MUSIC": "generation", "3D": "object"}


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as rounded text (`$1.42`), as exact text (`$1.416`), and its subject (`input`).

    The subject may be empty.
    """

    shown: str
    exact: str
    what: str = ""


FREE = Amount("Free", "Free")


@dataclass(frozen=True, slots=True)
class Headline:
    """The price of a model in one line: `$2.00 input, $10.00 output` and `per 1M tokens`.

    `usd` is the value by which models of one type are sorted.
    """

    amounts: tuple[Amount, ...]
    about: str
    usd: Decimal


def headline(model: AnyModel) -> Headline:
    """Return the price with the model's defaults, or a text model's prices of a million tokens."""
    return _text(model) if isinstance(model, CatalogTextModel) else _media(model)


class Headlines:
    """The headlines of a catalog's models by id, each calculated on first use."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[str, Headline] = {}

    def __getitem__(self, model_id: str) -> Headline:
        """Return a model's headline. Raises `ModelNotFoundError`."""
        if model_id not in self._known:
            model = self._catalog.find_by_id(model_id)
            if model is None:
                raise ModelNotFoundError
            self._known[model_id] = headline(model)
        return self._known[model_id]


@dataclass(frozen=True, slots=True)
class Tier:
    """The prices of a text model per 1M tokens by kind of token, and the range of input for them."""

    when: str
    prices: Mapping[str, str]


def tiers(model: AnyModel) -> list[Tier]:
    """Return the prices of a text model, for short inputs first. Returns an empty list for other models."""
    if not isinstance(model, CatalogTextModel):
        return []
    if model.prices.only is not None:
        return []
    if model.speech is not None:
        spoken = {"Input": usd(model.prices.of_input()), "Audio": usd(model.prices.of_output())}
        return [Tier("of any length", spoken)]
    if not model.is_chat:
        return [Tier("of any length", {"Input": usd(model.prices.of_input())})]
    bounds = [tier.from_tokens for tier in model.long_context]
    first = f"up to {thousands(bounds[0])} tokens" if bounds else "of any length"
    longer = [f"over {thousands(bound)} tokens" for bound in bounds]
    every = [model.prices, *model.long_context]
    return [Tier(when, _by_kind(prices)) for when, prices in zip([first, *longer], every, strict=True)]


def _by_kind(prices: CatalogTokenPrices) -> dict[str, str]:
    # A kind without a price is billed and shown as input.
    source = prices.of_input()
    read = source if prices.cache_read is None else prices.cache_read
    write = source if prices.cache_write is None else prices.cache_write
    shown = {"Input": source, "Output": prices.of_output(), "Cache read": read, "Cache write": write}
    if prices.image_output is not None:
        shown["Images"] = prices.image_output
    return {name: usd(price) for name, price in shown.items()}


def condition(dimensions: Mapping[str, str]) -> str:
    """Return the condition of a price as text: `over 272K input tokens`, `720p, no source video`."""
    return ", ".join(_dimension(name, value) for name, value in dimensions.items())


def thousands(tokens: int) -> str:
    """Return a number of tokens as short text: `272K`, `1M`, `1,500`."""
    for size, letter in ((_THOUSAND**2, "M"), (_THOUSAND, "K")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{letter}"
    return f"{tokens:,}"


def _amount(price: Decimal, what: str = "") -> Amount:
    return Amount(price_in_text(price), usd(price), what)


def _text(model: CatalogTextModel) -> Headline:
    prices = model.prices
    if model.free:
        return Headline((FREE,), "", Decimal(0))
    if (only := prices.only) is not None:
        return Headline((_amount(only[1]),), _ONLY[only[0]], only[1])
    amounts = [_amount(prices.of_input(), "input")]
    if prices.output is not None:
        amounts.append(_amount(prices.of_output(), "output"))
    return Headline(tuple(amounts), PER_MEGATOKEN, prices.of_input())


def _media(model: Model) -> Headline:
    if model.free:
        return Headline((FREE,), "", Decimal(0))
    example = example_input(model)
    if example is not None:
        try:
            priced = quote(model, model.check(example))
        except UnknownPriceError:
            # The price depends on the length of a file, for which there is no default.
            return _per_unit(model)
        line = priced.breakdown[0]
        about = ", ".join(_default_words(model, line["quantity"], line["key"]))
        charged = Decimal(priced.charge_cents) / 100
        return Headline((_amount(charged),), about, charged)
    return _per_unit(model)


def _per_unit(model: Model) -> Headline:
    price = next((one for one in model.pricing.prices if one.is_default), model.pricing.prices[0])
    unit = "second" if model.pricing.unit == "second" else _RESULT[model.media_type]
    return Headline((_amount(price.price),), f"per {unit}{_of(price)}", price.price)


def _of(price: Price) -> str:
    words = condition(price.dimensions)
    return f", {words}" if words else ""


def _default_words(model: Model, quantity: str, key: str) -> Iterator[str]:
    """Yield the properties of the default result: its length, and the price that applies."""
    yield f"for {quantity} s" if model.pricing.unit == "second" else f"per {_RESULT[model.media_type]}"
    if key not in ("default", "music"):
        words = re.sub(r"(?<=\d)s\b", " s", key.replace("-", ", "))
        # Vendors write both 1k and 1K. 480p does not change.
        yield re.sub(r"(?<=\d)k\b", "K", words)


def _dimension(name: str, value: str) -> str:
    if name == "inputTokensFrom":
        return f"over {thousands(int(value))} input tokens"
    if name in _UP_TO:
        return _UP_TO[name].format(value)
    words = re.sub(r"(?=[A-Z])", " ", name).lower()
    if value in ("true", "false"):
        return f"{'with' if value == 'true' else 'without'} {words}"
    if value == "other":
        return f"other {words}s"
    if name == "duration":
        return f"{value} s"
    return value if name == "resolution" else f"{words} {value}"
