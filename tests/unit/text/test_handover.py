"""A request that another process continues keeps the prices of its start (decision 0002)."""

import json
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.loader import Catalog
from tollgate.quotes.parts import VERSION_CHARS, Part, text_part_now
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel, TokenPrices
from tollgate.text.money.handover import at_prices, prices_of
from tollgate.text.money.metering import Demand, charge_micro_usd
from tollgate.text.usage import Usage

MODELS = [wire_model(model) for model in CATALOG.text_models()]
DEARER = TokenPrices(Decimal(1_000), Decimal(1_000))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
@pytest.mark.parametrize("usage", [Usage(1_000, 100, 50, 7), Usage(900_000, 100, 50, 7)])
def test_a_later_price_changes_nothing(model: TextModel, usage: Usage) -> None:
    stored = json.loads(json.dumps(prices_of(model)))
    later = replace(model, prices=DEARER, tiers=())
    assert charge_micro_usd(usage, at_prices(later, stored)) == charge_micro_usd(usage, model)


def test_a_row_of_the_version_before_has_no_prices() -> None:
    assert at_prices(MODELS[0], None) is MODELS[0]


def test_the_version_before_can_read_the_prices_of_a_chat() -> None:
    chats = [model for model in MODELS if model.prices.output and model.images is None]
    names = {name for model in chats for name in prices_of(model)["prices"]}
    assert names <= {"input", "output", "cache_read", "cache_write", "cache_write_1h"}


@pytest.mark.parametrize(
    "model",
    # The version before has no models with images.
    [model for model in MODELS if model.prices.output and model.images is None],
    ids=lambda model: model.id,
)
def test_a_quote_that_it_made_keeps_its_version(model: TextModel) -> None:
    def before(prices: TokenPrices) -> str:
        names = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
        return f"TokenPrices({', '.join(f'{name}={getattr(prices, name)!r}' for name in names)})"

    tiers = [
        f"LongContextTier(from_tokens={one.from_tokens}, prices={before(one.prices)})" for one in model.tiers
    ]
    text = f"({before(model.prices)}, ({', '.join(tiers)}{',' if len(tiers) == 1 else ''}))"
    part = Part("/api/v1/chat/completions", model.id, 1, "v", demand=Demand(10, 20))
    now = text_part_now(part, Catalog.shipped())
    assert now.version == sha256(text.encode()).hexdigest()[:VERSION_CHARS]


def test_it_can_read_a_quote_for_chats() -> None:
    demand = Demand(10, 20)
    part = Part("/api/v1/chat/completions", "a", 1, "v", demand=demand, fallbacks=(("b", demand),))
    item = part.to_item()
    read = {"input_tokens": 10, "output_limit": 20, "answers": 1}
    assert (item["demand"], item["fallbacks"]) == (read, [["b", read]])
    assert Part.from_item(item) == part
