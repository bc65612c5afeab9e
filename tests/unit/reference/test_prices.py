"""What pages say that a model costs."""

import re
from decimal import Decimal

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import quote
from tollgate.kit.money import dollars, usd
from tollgate.reference.generations import example_input
from tollgate.reference.prices import condition, headline, thousands, tiers

CATALOG = Catalog.shipped()


def line(model_id: str) -> str:
    """Return the exact price of a model, as a card has it on hover."""
    model = CATALOG.find_by_name(model_id)
    assert model is not None
    shown = headline(model)
    amounts = ", ".join(f"{one.exact} {one.what}".strip() for one in shown.amounts)
    return f"{amounts} {shown.about}".strip()


class TestHeadline:
    def test_a_text_model_costs_what_a_million_tokens_cost_in_and_out(self) -> None:
        assert line("gpt-6-astra") == "$10.00 input, $50.00 output per 1M tokens"

    def test_no_text_model_shows_what_reading_its_cache_costs(self) -> None:
        for model in (each for each in CATALOG.text_models() if each.is_chat):
            if not model.free:
                source, output = usd(model.prices.of_input()), usd(model.prices.of_output())
                assert line(model.id) == f"{source} input, {output} output per 1M tokens"

    def test_a_card_shows_two_digits_that_say_something_and_has_all_of_them_beside(self) -> None:
        lines = [headline(model) for model in CATALOG.text_models()] + [
            headline(model) for model in CATALOG.media_models()
        ]
        for each in lines:
            for one in each.amounts:
                assert re.fullmatch(r"Free|\$[\d,]+\.\d\d|\$0\.0*[1-9]\d?", one.shown), one
                if one.shown != "Free":
                    shown, exact = (
                        Decimal(text.strip("$").replace(",", "")) for text in (one.shown, one.exact)
                    )
                    assert abs(shown - exact) <= Decimal("0.005")

    def test_a_media_model_costs_what_its_defaults_cost(self) -> None:
        for model in CATALOG.media_models():
            example = example_input(model)
            if example is None or model.free or model.probes(model.check(example)):
                continue
            charged = dollars(quote(model, model.check(example)).charge_cents)
            assert headline(model).amounts[0].shown == charged

    @pytest.mark.parametrize(
        ("model_id", "shown"),
        [
            # 5 s of 720p at $0.17 a second (the published price)
            ("flux-3-video", "$0.85 for 5 s, 720p"),
            ("z-image", "$0.01 per image"),
            # A given video decides the length
            ("kling-2.6-motion-control", "$0.055 per second, 720p"),
            ("test-image", "Free"),
            ("test-chat", "Free"),
        ],
    )
    def test_it_says_what_for(self, model_id: str, shown: str) -> None:
        assert line(model_id) == shown


class TestTiers:
    def test_long_inputs_have_a_eachof_their_own(self) -> None:
        model = CATALOG.find_by_name("gpt-6-astra")
        assert model is not None
        assert [tier.when for tier in tiers(model)] == ["up to 272K tokens", "over 272K tokens"]
        assert tiers(model)[1].prices["Output"] == "$75.00"

    def test_media_models_have_none(self) -> None:
        model = next(model for model in CATALOG.all_models() if isinstance(model, Model))
        assert tiers(model) == []


class TestWords:
    @pytest.mark.parametrize(
        ("dimensions", "words"),
        [
            ({"inputTokensFrom": "272000"}, "over 272K input tokens"),
            ({"resolution": "720p", "sourceVideo": "false"}, "720p, without source video"),
            ({"audio": "true"}, "with audio"),
            ({"duration": "10"}, "10 s"),
            ({"action": "upscale"}, "action upscale"),
            ({"longSide": "2048"}, "long side up to 2048 px"),
            ({"megapixels": "8"}, "up to 8 megapixels"),
            ({}, ""),
        ],
    )
    def test_a_condition_is_read_not_deciphered(self, dimensions: dict[str, str], words: str) -> None:
        assert condition(dimensions) == words

    def test_thousands(self) -> None:
        assert [thousands(one) for one in (1_000_000, 922_000, 8_192)] == ["1M", "922K", "8,192"]
