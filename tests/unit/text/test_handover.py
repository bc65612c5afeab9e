"""A request that another process continues keeps the prices of its start (decision 0054)."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.text.handover import at_prices, prices_of
from tollgate.text.metering import charge_micro_usd
from tollgate.text.models import TextModel, TokenPrices
from tollgate.text.usage import Usage
from tollgate.text.views import wire_model

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
