"""Text models: four prices per 1M tokens, tiers for long inputs, protocols, no params."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.errors import CatalogError
from tollgate.catalog.lint import shipped_faults, text_faults
from tollgate.catalog.parsing import parse_model
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.catalog.views import catalog_dto
from tollgate.text.listing.views import wire_model
from tollgate.web.languages import TRANSLATED

MODELS = CATALOG.text_models()
RAW: dict[str, Any] = {
    "id": "test-1",
    "kind": "llm",
    "group": "Test",
    "name": "Test 1",
    "vendor": "Test",
    "description": "A test.",
    "descriptionLocales": dict.fromkeys(("de", "es", "fr", "ja", "zh"), "x"),
    "protocols": ["openai"],
    "prices": {"input": "2", "output": "10", "cacheRead": "0.2"},
    "contextTokens": 1000,
    "maxOutputTokens": 100,
    "routes": [
        {
            "provider": "x",
            "upstream": "test-1",
            "protocol": "openai",
            "confidence": "FOUND",
            "cost": {"input": "2", "output": "10", "cacheRead": "0.2"},
        }
    ],
}


def text_model(**changed: Any) -> CatalogTextModel:
    model = parse_model({**RAW, **changed}, "test")
    assert isinstance(model, CatalogTextModel)
    return model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_shipped_data_has_no_fault(model: CatalogTextModel) -> None:
    assert text_faults(model) == []


@pytest.mark.parametrize("name", ["contextTokens", "maxOutputTokens"])
def test_a_limit_that_no_route_takes_is_a_fault(name: str) -> None:
    route = RAW["routes"][0]
    assert text_faults(text_model(routes=[{**route, name: 99}])) == [
        f"test-1: {name}: no route takes more than 99"
    ]
    assert text_faults(text_model(routes=[{**route, name: 99}, {**route, "provider": "y"}])) == []


def test_the_families_are_those_of_the_contract() -> None:
    groups = {model.group for model in MODELS}
    contract = {"Claude", "DeepSeek", "Gemini", "GLM", "GPT", "Grok", "Kimi", "MiniMax", "Qwen", "Test"}
    assert groups == contract | {"Cohere", "Hunyuan", "Meta", "MiMo", "Mistral"}


def test_every_model_answers_in_every_protocol_or_has_one_other_kind() -> None:
    assert {tuple(model.protocols) for model in MODELS if model.is_chat and model.images is None} == {
        ("openai", "anthropic")
    }
    vendors: dict[str, set[str]] = {}
    for model in (model for model in MODELS if not model.is_chat and "test" not in model.tags):
        (kind,) = model.protocols
        vendors.setdefault(kind, set()).add(model.vendor)
    assert vendors == {
        "embeddings": {"OpenAI", "Google", "Alibaba"},
        "rerank": {"Cohere"},
        "moderations": {"OpenAI", "Mistral AI"},
        "speech": {"Mistral AI", "OpenAI"},
        "transcription": {"OpenAI"},
    }


def test_only_models_of_4_5_think_by_a_budget() -> None:
    # AWS's and Anthropic's model cards: extended thinking there, adaptive in all later models.
    found = [model.id for model in MODELS if not wire_model(model).adaptive_thinking]
    assert found == ["claude-haiku-4-5", "claude-opus-4-5"]


def test_claude_has_its_reserve_at_the_same_price() -> None:
    for model in (model for model in MODELS if model.group == "Claude"):
        first, reserve = model.routes[:2]
        assert (first.provider, reserve.provider) == ("anthropic", "bedrock")
        # Bedrock has no search of the web.
        assert reserve.cost == replace(first.cost, web_search=None)


def test_every_text_model_has_a_reserve_or_a_word_on_why_not_and_all_languages() -> None:
    assert [fault for model in MODELS for fault in shipped_faults(model, TRANSLATED)] == []


def test_no_two_models_are_described_alike() -> None:
    for locale in ("en", *MODELS[0].description_locales):
        said = [model.description_locales.get(locale, model.description) for model in MODELS]
        assert len(set(said)) == len(said), locale


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"protocols": ["embeddings"]}, "protocols"),
        ({"protocols": ["openai", "embeddings"]}, "protocols"),
        ({"embedding": {"dimensions": 8, "maxDimensions": 8, "maxInputs": 1}}, "protocols"),
        ({"protocols": ["speech"]}, "protocols"),
        ({"speech": {"maxCharacters": 8, "voices": ["alloy"], "formats": ["mp3"]}}, "protocols"),
        ({"transcription": {"formats": ["json"]}}, "protocols"),
        ({"prices": {"character": "2"}}, "prices: output"),
        ({"prices": {"minute": "2", "output": "3"}}, "priced in the same way"),
        ({"prices": {"input": "2"}}, "prices: output"),
        ({"prices": {"input": "2", "output": "10", "search": "1"}}, "prices: needs"),
        ({"moderation": {"maxInputs": 1}, "rerank": {"maxDocuments": 1, "maxQueryTokens": 1}}, "one kind"),
        ({"maxOutputTokens": 0}, "maxOutputTokens"),
    ],
)
def test_what_is_of_no_kind_or_of_two_is_refused(wrong: dict[str, Any], fault: str) -> None:
    with pytest.raises(CatalogError, match=fault):
        parse_model({**RAW, **wrong}, "test")


class TestPublished:
    def test_sonnet(self) -> None:
        dto = catalog_dto(CATALOG.text_model("claude-sonnet-5-5"))
        assert dto["pricing"] == [
            {"key": "input", "price": "2", "isDefault": True},
            {"key": "output", "price": "10", "isDefault": False},
            {"key": "cacheRead", "price": "0.1", "isDefault": False},
            {"key": "cacheWrite", "price": "2.5", "isDefault": False},
            {"key": "webSearch", "price": "0.01", "isDefault": False, "dimensions": {"per": "search"}},
            *(
                {
                    "key": f"{key}-batch",
                    "price": price,
                    "isDefault": False,
                    "dimensions": {"service": "batch"},
                }
                for key, price in {
                    "input": "1.0",
                    "output": "5.0",
                    "cacheRead": "0.05",
                    "cacheWrite": "1.25",
                }.items()
            ),
        ]
        assert (dto["type"], dto["kind"], dto["priceUnit"]) == ("TEXT", "llm", "megatoken")
        assert (dto["params"], dto["capabilities"]) == ([], [])
        assert dto["priceFrom"] == "0.1"

    def test_long_inputs_have_entries_of_their_own(self) -> None:
        dto = catalog_dto(CATALOG.text_model("grok-4.3"))
        long = {"inputTokensFrom": "200000"}
        assert dto["pricing"][3:6] == [
            {"key": "input-from-200000", "price": "2.5", "isDefault": False, "dimensions": long},
            {"key": "output-from-200000", "price": "5", "isDefault": False, "dimensions": long},
            {"key": "cacheRead-from-200000", "price": "0.4", "isDefault": False, "dimensions": long},
        ]

    def test_three_tiers(self) -> None:
        tiers = CATALOG.text_model("qwen3-coder-plus").long_context
        assert [(tier.from_tokens, tier.input, tier.output) for tier in tiers] == [
            (32_000, Decimal("1.8"), Decimal(9)),
            (128_000, Decimal(3), Decimal(15)),
            (256_000, Decimal(6), Decimal(60)),
        ]


class TestLint:
    def test_good_data(self) -> None:
        assert text_faults(text_model()) == []

    @pytest.mark.parametrize(
        ("prices", "fault"),
        [
            (
                {"input": "1.9", "output": "10", "cacheRead": "0.2", "cacheWrite": "2"},
                "input: 1.9 is under the 2 of x",
            ),
            ({"input": "2", "output": "9", "cacheRead": "0.2"}, "output: 9 is under the 10 of x"),
            ({"input": "2", "output": "10", "cacheRead": "0.1"}, "cacheRead: 0.1 is under the 0.2 of x"),
        ],
    )
    def test_sees_a_price_under_cost(self, prices: dict[str, str], fault: str) -> None:
        assert text_faults(text_model(prices=prices)) == [f"test-1: prices: {fault}"]

    def test_a_cache_price_left_out_is_the_inputs(self) -> None:
        assert text_faults(text_model(prices={"input": "2", "output": "10"})) == []

    def test_sees_a_route_that_is_off_without_a_reason(self) -> None:
        off = {**RAW["routes"][0], "provider": "y", "enabled": False}
        model = text_model(routes=[RAW["routes"][0], off])
        assert shipped_faults(model, TRANSLATED) == [
            "test-1: routes: y is disabled without a reason",
            "test-1: singleRoute: must say why only x can run it",
        ]

    def test_names_the_missing_language(self) -> None:
        model = text_model(
            descriptionLocales=dict.fromkeys(("de", "es", "fr", "zh"), "x"), singleRoute="One."
        )
        assert shipped_faults(model, TRANSLATED) == ["test-1: descriptionLocales: ja is missing"]

    def test_sees_a_word_too_much(self) -> None:
        two = [RAW["routes"][0], {**RAW["routes"][0], "provider": "y"}]
        assert shipped_faults(text_model(routes=two, singleRoute="Nobody."), TRANSLATED) == [
            "test-1: singleRoute: there are more"
        ]

    def test_sees_a_long_input_under_cost(self) -> None:
        dear = {"fromTokens": 500, "input": "4", "output": "20", "cacheRead": "0.2", "cacheWrite": "2"}
        route = {**RAW["routes"][0], "longContext": [dear]}
        found = text_faults(text_model(routes=[route]))
        assert found == [
            "test-1: prices: input: 2 is under the 4 of x",
            "test-1: prices: output: 10 is under the 20 of x",
        ]
        shorter = [{**route, "contextTokens": 500}]
        assert text_faults(text_model(routes=shorter, contextTokens=500)) == []
        assert text_faults(text_model(routes=[route], longContext=[dear])) == []

    def test_a_long_input_at_the_retail_of_a_short_one_is_seen_too(self) -> None:
        cheap = {"fromTokens": 500, "input": "1", "output": "10", "cacheRead": "0.2", "cacheWrite": "2"}
        assert text_faults(text_model(longContext=[cheap])) == [
            "test-1: prices: input: 1 is under the 2 of x"
        ]

    def test_sees_tiers_that_do_not_rise(self) -> None:
        tier = {"fromTokens": 500, "input": "4", "output": "20"}
        assert text_faults(text_model(longContext=[tier, tier])) == ["test-1: longContext: tiers must rise"]
