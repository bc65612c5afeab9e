"""`catalog refresh`: what each public source says, and what of it differs from the catalog.

The excerpts are from litellm 1.109.1, model-prices 0.0.5, rates 1.1.0 (PyPI) and pi-ai 1.5.2 (npm). Others
have the form of models.dev's `api.json`, OpenRouter's `/api/v1/models` and fal's `/v1/models/pricing`.
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.unit.catalog.test_refresh import SHIPPED
from tollgate.catalog.drift import KNOWN, Drift, media_drifts, text_drifts, unexplained, unused
from tollgate.catalog.loader import DATA, Catalog, Document, read_yaml
from tollgate.catalog.sources import UnknownFormatError, read_source
from tollgate.catalog.yaml_edits import with_value
from tollgate.command import refresh_catalog
from tollgate.command.app import cli

TODAY, MODEL = "2026-11-26", "kimi-k2.6"
LITELLM = {
    "fireworks_ai/accounts/fireworks/models/kimi-k2p6": {
        "litellm_provider": "fireworks_ai",
        "input_cost_per_token": 9.5e-07,
        "output_cost_per_token": 4e-06,
        "cache_read_input_token_cost": 1.6e-07,
        "max_input_tokens": 262144,
        "max_output_tokens": 262144,
        "deprecation_date": "2026-09-25",
    },
    "gemini/gemini-3.1-pro-preview": {
        "litellm_provider": "gemini",
        "input_cost_per_token": 2e-06,
        "output_cost_per_token": 1.2e-05,
        "cache_read_input_token_cost": 2e-07,
        "input_cost_per_token_above_200k_tokens": 4e-06,
        "output_cost_per_token_above_200k_tokens": 1.8e-05,
        "cache_read_input_token_cost_above_200k_tokens": 4e-07,
        "max_input_tokens": 1048576,
        "max_output_tokens": 65536,
    },
    "tts-1": {"litellm_provider": "openai", "mode": "audio_speech", "input_cost_per_character": 1.6e-05},
    "whisper-1": {
        "litellm_provider": "openai",
        "mode": "audio_transcription",
        "input_cost_per_second": 0.0001,
        "output_cost_per_second": 0.0001,
    },
}
RATES = {"cache_read": 0.064, "input": 0.32, "output": 1.28, "cache_write": 0.4}
MODEL_PRICES = {
    "models_dev": {"committed_at": "2026-10-23T18:58:46Z"},
    "status": {"minimax": {"MiniMax-M2.5": "deprecated"}},
    "prices": {
        "alibaba": {"qwen3.7-plus": {"standard": [{"rates": None}, {"rates": RATES}]}},
        "minimax": {"MiniMax-M2.5": {"standard": [{"rates": {"input": 0.3, "output": 1.2}}]}},
    },
}
PI = {
    "openai-completions": {
        "chat:google/gemini-3.8-flash": {
            "id": "google/gemini-3.8-flash",
            "type": "chat",
            "provider": "openrouter",
            "cost": {"input": 0.825, "output": 4.125, "cacheRead": 0.0825, "cacheWrite": 0.041667},
            "contextWindow": 1048576,
            "maxTokens": 65536,
        }
    }
}
SOURCES: list[tuple[Any, str, str, str, dict[str, str], int | None]] = [
    (LITELLM, "litellm", "google", "gemini-3.1-pro-preview", {"input": "2", "output": "12"}, 65_536),
    (LITELLM, "litellm", "openai", "tts-1", {"character": "16"}, None),
    (LITELLM, "litellm", "openai", "whisper-1", {"minute": "0.006"}, None),
    (MODEL_PRICES, "model-prices", "dashscope", "qwen3.7-plus", {"input": "0.32", "cacheWrite": "0.4"}, None),
    (PI, "pi-ai", "openrouter", "google/gemini-3.8-flash", {"input": "0.825", "output": "4.125"}, 65_536),
    (
        {
            "snapshot_date": "2026-09-28",
            "models": [
                {
                    "provider": "moonshotai",
                    "id": MODEL,
                    "context": {"input": 262144, "output": 262144},
                    "price": {"currency": "USD", "input_mtok": 0.95, "output_mtok": 4},
                    "lifecycle": {"status": "active", "deprecation_date": None},
                }
            ],
        },
        "rates",
        "moonshot",
        MODEL,
        {"input": "0.95", "output": "4"},
        262_144,
    ),
    (
        {
            "fireworks-ai": {
                "id": "fireworks-ai",
                "models": {
                    "accounts/fireworks/models/kimi-k3": {
                        "cost": {"input": 3, "output": 15, "cache_read": 0.3},
                        "limit": {"context": 1048576, "output": 131072},
                    }
                },
            }
        },
        "models.dev",
        "fireworks",
        "accounts/fireworks/models/kimi-k3",
        {"input": "3", "output": "15", "cacheRead": "0.3"},
        131_072,
    ),
    (
        {
            "data": [
                {
                    "id": "moonshotai/kimi-k2.6",
                    "context_length": 262144,
                    "pricing": {"prompt": "0.00000065", "completion": "0.00000341"},
                    "top_provider": {"max_completion_tokens": 235929},
                    "expiration_date": "2026-12-31",
                }
            ]
        },
        "openrouter",
        "openrouter",
        "moonshotai/kimi-k2.6",
        {"input": "0.65", "output": "3.41"},
        235_929,
    ),
]


def changed(model_id: str, provider: str, **route: Any) -> Any:
    """Return a text model of the shipped data whose route of a provider is on, with other values."""
    raw = json.loads(json.dumps(SHIPPED[model_id]))
    for one in raw["routes"]:
        if one["provider"] == provider:
            one.pop("retires", None)
            one.update({"enabled": True} | route)
    return Catalog(Document({model_id: raw})).on(TODAY).text_model(model_id)


def drifts(model: Any, document: Any) -> dict[str, Drift]:
    """Return the differences of a model from a source, by their fields."""
    return {drift.field: drift for drift in text_drifts(model, read_source(document), TODAY)}


class TestAudio:
    def test_the_price_of_characters_or_minutes_is_compared(self) -> None:
        speech, recording = (Catalog.shipped().on(TODAY).text_model(name) for name in ("tts-1", "whisper-1"))
        # It costs 15 USD per 1M characters at OpenAI and is sold for that.
        (found,) = (
            one for one in text_drifts(speech, read_source(LITELLM), TODAY) if one.provider == "openai"
        )
        assert (found.field, found.ours, found.says, found.above) == (
            "cost.character",
            "15",
            "16",
            Decimal(15),
        )
        at_openai = [
            one for one in text_drifts(recording, read_source(LITELLM), TODAY) if one.provider == "openai"
        ]
        assert at_openai == []


class TestSources:
    @pytest.mark.parametrize(("document", "name", "provider", "upstream", "prices", "output"), SOURCES)
    def test_each_form_is_read_in_our_words_and_units(
        self,
        document: Any,
        name: str,
        provider: str,
        upstream: str,
        prices: dict[str, str],
        output: int | None,
    ) -> None:
        source = read_source(document)
        row = source.find(provider, upstream)
        assert source.name == name
        assert row is not None
        assert prices.items() <= {key: f"{price:f}" for key, price in row.prices.items()}.items()
        assert row.max_output_tokens == output
        assert source.find(provider, "nothing") is None

    def test_long_inputs_and_ends_are_read(self) -> None:
        source = read_source(LITELLM)
        row = source.find("google", "gemini-3.1-pro-preview")
        assert row is not None
        assert row.tiers[200_000] == {"input": Decimal(4), "output": Decimal(18), "cacheRead": Decimal("0.4")}
        ended = source.find("fireworks", "accounts/fireworks/models/kimi-k2p6")
        assert ended is not None
        assert ended.retires == "2026-09-25"

    @pytest.mark.parametrize("document", [[], {}, {"a": 1}, "x"])
    def test_another_form_is_refused(self, document: Any) -> None:
        with pytest.raises(UnknownFormatError):
            read_source(document)


class TestOpenAI:
    """`GET /v1/models` of OpenAI has a `shutdown_date` for each model whose end is published."""

    LIST: ClassVar[dict[str, Any]] = {
        "object": "list",
        "data": [
            {"id": "gpt-6.1-sol", "object": "model", "created": 1, "shutdown_date": "2027-03-01"},
            {"id": "gpt-image-2", "object": "model", "created": 1, "shutdown_date": "2026-11-01"},
        ],
    }

    def test_a_published_end_is_a_difference_and_an_id_that_ended_is_urgent(self) -> None:
        source = read_source(self.LIST)
        catalog = Catalog.shipped().on(TODAY)
        text = {one.field: one for one in text_drifts(catalog.text_model("gpt-6.1-sol"), source, TODAY)}
        assert (text["retires"].says, text["retires"].is_urgent) == ("2027-03-01", False)
        (image,) = media_drifts(catalog.media_model("gpt-image-2"), source, TODAY)
        assert (image.field, image.says, image.is_urgent) == ("retires", "2026-11-01", True)


class TestTextDrifts:
    def test_a_retired_id_that_is_on_is_urgent(self) -> None:
        found = drifts(changed(MODEL, "fireworks"), LITELLM)
        assert set(found) == {"retires"}
        assert (found["retires"].says, found["retires"].is_urgent) == ("2026-09-25", True)
        assert drifts(Catalog.shipped().on(TODAY).text_model(MODEL), LITELLM) == {}

    def test_a_status_of_the_vendor_is_urgent_too(self) -> None:
        found = drifts(changed("minimax-m2.5", "minimax"), MODEL_PRICES)
        assert found["status"].is_urgent

    def test_a_cost_above_its_price_is_urgent_and_another_is_not(self) -> None:
        cost = {"input": "0.75", "output": "3.75", "cacheRead": "0.075"}
        found = drifts(changed("gemini-3.8-flash", "openrouter", cost=cost), PI)
        assert found["cost.input"].above == Decimal("0.75")
        assert found["cost.input"].is_urgent
        lower = drifts(changed("qwen3.7-plus", "dashscope"), MODEL_PRICES)
        assert lower["cost.output"].key == "dashscope qwen3.7-plus cost.output 1.28"
        assert not any(drift.is_urgent for drift in lower.values())

    def test_a_platform_with_a_cap_may_be_cheaper(self) -> None:
        (document, *_) = SOURCES[-1]
        assert {"cost.input", "cost.output"}.isdisjoint(drifts(changed(MODEL, "openrouter"), document))

    def test_limits_above_the_sources_and_unknown_ids_are_differences(self) -> None:
        (document, *_) = SOURCES[-1]
        found = drifts(changed(MODEL, "openrouter", maxOutputTokens=262_144), document)
        assert (found["maxOutputTokens"].ours, found["maxOutputTokens"].says) == ("262144", "235929")
        assert drifts(changed("kimi-k3", "openrouter"), document)["id"].says == "unknown"

    def test_long_inputs_are_compared(self) -> None:
        tiers = [{"fromTokens": 200_000, "input": "4", "output": "17", "cacheRead": "0.4"}]
        found = drifts(changed("gemini-3.1-pro-preview", "google", longContext=tiers), LITELLM)
        assert set(found) == {"longContext.200000.output"}
        without = drifts(changed("gemini-3.1-pro-preview", "google", longContext=[]), LITELLM)
        assert without["longContext.200000"].says == "4/18/0.4"


class TestMediaDrifts:
    @pytest.mark.parametrize(
        ("price", "fields"),
        [
            ({"unit_price": 0.01, "unit": "images"}, set()),
            ({"unit_price": 0.02, "unit": "images"}, {"cost"}),
            ({"unit_price": 0.01, "unit": "megapixels"}, {"unit"}),
        ],
    )
    def test_units_and_costs_of_fal_are_compared(self, price: dict[str, Any], fields: set[str]) -> None:
        model = Catalog.shipped().media_model("z-image")
        route = next(route for route in model.routes if route.provider == "fal")
        (cost,) = {cost.cost for cost in route.costs}
        ids = dict.fromkeys(route.upstream.values())
        rows = [{"endpoint_id": one, "currency": "USD", **price} for one in ids]
        found = list(media_drifts(model, read_source({"prices": rows}), TODAY))
        assert cost == Decimal("0.01")
        assert {drift.field for drift in found} == fields
        assert all(drift.is_urgent is ("cost" in fields) for drift in found)


class TestKnown:
    KNOWN: ClassVar = [
        {"why": "A promotion.", "sources": ["model-prices"], "drift": ["dashscope * cost.* *", "x y z 1"]}
    ]

    def test_an_explanation_is_for_one_source_and_value(self) -> None:
        source = read_source(MODEL_PRICES)
        found = list(text_drifts(changed("qwen3.7-plus", "dashscope"), source, TODAY))
        assert {drift.field for drift in unexplained(found, source, self.KNOWN)} == {  # type: ignore[arg-type]
            drift.field for drift in found if not drift.field.startswith("cost.")
        }
        assert unexplained(found, read_source(LITELLM), self.KNOWN) == found  # type: ignore[arg-type]
        assert unused(found, source, self.KNOWN) == ["x y z 1"]  # type: ignore[arg-type]

    def test_each_entry_of_the_file_has_a_reason(self) -> None:
        for entry in read_yaml(KNOWN):
            assert entry.keys() == {"why", "sources", "drift"}
            assert all((entry["why"], entry["sources"], entry["drift"]))


class TestYaml:
    LINE = '      - {provider: x, upstream: a/b, cost: {input: "1", output: "2"}, why: "Of \\"1\\"."}'
    TEXT = f"models:\n{LINE}\n      # kept\n"

    @pytest.mark.parametrize(
        ("field", "value", "part"),
        [
            ("cost.input", "0.5", 'cost: {input: "0.5", output: "2"}'),
            ("cost.cacheRead", "0.1", 'cost: {input: "1", output: "2", cacheRead: "0.1"}'),
            ("maxOutputTokens", "65536", '\\"1\\".", maxOutputTokens: 65536}'),
            ("retires", '"2027-01-01"', '\\"1\\".", retires: "2027-01-01"}'),
        ],
    )
    def test_one_value_changes_and_nothing_else(self, field: str, value: str, part: str) -> None:
        changed = with_value(self.TEXT, "x", "a/b", field, value)
        assert changed is not None
        assert part in changed
        assert len(changed.splitlines()) == len(self.TEXT.splitlines())
        assert with_value(changed, "x", "a/b", field, value) == changed

    def test_a_route_that_is_not_there_is_left_to_a_person(self) -> None:
        assert with_value(self.TEXT, "x", "a/c", "cost.input", "1") is None


class TestCommand:
    def run(self, tmp_path: Path, document: Any, *words: str) -> Result:
        file = tmp_path / "source.json"
        file.write_text(json.dumps(document))
        return CliRunner().invoke(cli, ["catalog", "refresh", "--from", str(file), *words])

    def test_it_prints_differences_writes_costs_and_never_a_price(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "text").mkdir()
        kimi = (DATA / "text/kimi.yaml").read_text()
        (tmp_path / "text/kimi.yaml").write_text(kimi)
        monkeypatch.setattr(refresh_catalog, "DATA", tmp_path)
        price, route = SHIPPED[MODEL]["prices"]["output"], SHIPPED[MODEL]["routes"][0]
        model = {"cost": {"input": 0.9, "output": 99}, "limit": {"context": 200000, "output": 100000}}
        document = {"moonshotai": {"models": {MODEL: model}, "id": "moonshotai"}}
        shown = self.run(tmp_path, document, "--write", "--seen", TODAY)
        assert shown.exit_code == 1
        change = f"cost.output: {route['cost']['output']} → 99 is above the price {price}"
        assert f"kimi-k2.6: moonshot kimi-k2.6 {change}" in shown.stdout
        written = (tmp_path / "text/kimi.yaml").read_text()
        ((line,),) = [yaml.safe_load(row) for row in written.splitlines() if "upstream: kimi-k2.6," in row]
        assert line["cost"] == {**route["cost"], "input": "0.9", "output": "99"}
        found = {name: line[name] for name in ("contextTokens", "maxOutputTokens", "seenOn")}
        assert found == {"contextTokens": 200000, "maxOutputTokens": 100000, "seenOn": TODAY}
        prices = [row for row in kimi.splitlines() if "    prices:" in row]
        assert [row for row in written.splitlines() if "    prices:" in row] == prices

    def test_without_differences_it_succeeds(self, tmp_path: Path) -> None:
        elsewhere = {"baseten": {"models": {"x": {"cost": {"input": 1}}}, "id": "baseten"}}
        shown = self.run(tmp_path, elsewhere)
        assert "0 differences from models.dev." in shown.stdout.splitlines()[-1]
        assert shown.exit_code == 0

    def test_a_file_that_is_none_of_them_is_refused(self, tmp_path: Path) -> None:
        shown = self.run(tmp_path, {"a": 1})
        assert shown.exit_code == 1
        assert "cannot be read" in shown.output
