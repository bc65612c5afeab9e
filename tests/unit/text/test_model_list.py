"""`GET /models` and `/models/{name}` as OpenAI's and Anthropic's clients read them, and pages of the list."""

import asyncio
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from anthropic.types import ModelInfo
from openai.types import Model
from pydantic import BaseModel

from tests.support.sdk_shapes import faults_of
from tests.support.text_in_process import TextCustomer, text_customer
from text.app import app
from tollgate.catalog.loader import Catalog
from tollgate.catalog.names import names_of
from tollgate.catalog.text_models import CatalogTextModel

CATALOG = Catalog.shipped()
IDS = [model.id for model in CATALOG.text_models()]
Found = TypeVar("Found")


def ask(asking: Callable[[TextCustomer], Coroutine[Any, Any, Found]]) -> Found:
    """Return the result of a conversation with the service."""

    async def run() -> Found:
        async with text_customer("openai", app) as customer:
            return await asking(customer)

    return asyncio.run(run())


def get(path: str, **query: Any) -> Any:
    async def asked(customer: TextCustomer) -> Any:
        return (await customer.get(path, **query)).json()

    return ask(asked)


class TestModels:
    @pytest.mark.parametrize("shape", [Model, ModelInfo])
    def test_each_has_the_shape_of_both_protocols(self, shape: type[BaseModel]) -> None:
        for one in get("models")["data"]:
            assert faults_of(shape, {name: one[name] for name in shape.model_fields if name in one}) == []
            assert set(ModelInfo.model_fields) <= set(one)

    def test_they_have_prices_per_token_in_openrouters_words(self) -> None:
        for one in get("models")["data"]:
            prices = one["pricing"]
            per_million = {"prompt": "input", "completion": "output", "input_cache_read": "cacheRead"}
            for theirs, ours in per_million.items():
                if theirs in prices and ours in prices:
                    assert Decimal(prices[theirs]) * 1_000_000 == Decimal(prices[ours]), one["id"]
            assert prices.keys() >= {"prompt", "completion"}
            is_embedding = one["architecture"]["output_modalities"] == ["embeddings"]
            is_speech = one["architecture"]["output_modalities"] == ["audio"]
            assert is_embedding is ("dimensions" in one)
            assert is_speech is ("max_characters" in one) is (one["supported_voices"] is not None)
            is_transcription = one["architecture"]["input_modalities"] == ["audio"]
            assert is_transcription is ("translates" in one)
            has_images = "image" in one["architecture"]["output_modalities"] and "openai" in one["protocols"]
            assert has_images is ("image_config" in one["supported_parameters"])
            takes_tools = "openai" in one["protocols"] and not has_images
            assert takes_tools is ("tools" in one["supported_parameters"])

    def test_they_tell_what_they_read(self) -> None:
        read = {one["id"]: one["architecture"]["input_modalities"] for one in get("models")["data"]}
        assert read["gpt-6.1-sol"] == read["claude-opus-5-5"] == read["gemini-3.8-flash"] == ["text", "image"]
        assert read["gpt-oss-120b"] == read["deepseek-v4-pro"] == read["rerank-v3.5"] == ["text"]
        assert read["qwen3.8-omni-flash"] == ["text", "image", "audio"]
        assert (read["whisper-1"], read["omni-moderation-latest"]) == (["audio"], ["text", "image"])
        assert read["glm-5v-turbo"] == read["gemini-3-pro-image"] == ["text", "image"]

    def test_claude_has_anthropics_capabilities_as_far_as_they_are_sold(self) -> None:
        capabilities = get("models/claude-opus-5-5")["capabilities"]
        sold = {name for name, told in capabilities.items() if told["supported"]}
        assert capabilities.keys() - sold == {"code_execution"}

    def test_they_have_real_dates(self) -> None:
        days = {one["id"]: one["created_at"][:10] for one in get("models")["data"]}
        assert days["claude-haiku-4-5"] == "2025-10-15"
        # No source states when it was released, so it has the first day that a source sold it.
        assert days["claude-sonnet-5-5"] == "2026-11-10"
        assert min(days.values()) > "2020"

    def test_every_name_finds_its_model(self) -> None:
        async def asked(customer: TextCustomer) -> dict[str, str]:
            return {
                name: (await customer.get(f"models/{name}")).json().get("id")
                for model in CATALOG.all_models()
                for name in names_of(model.id, model.aliases, model.vendor_names)
                if isinstance(model, CatalogTextModel) or name == model.id
            }

        found = ask(asked)
        assert len(found) > len(IDS)
        assert {name for name, model_id in found.items() if model_id is None} == set()
        assert found["openai/gpt-5.4-mini"] == "gpt-5.4-mini"
        assert found["z-image"] == "z-image"


class TestPages:
    @pytest.mark.parametrize(
        ("query", "page", "has_more"),
        [
            ({}, IDS, False),
            ({"limit": 3}, IDS[:3], True),
            ({"limit": 2, "after_id": IDS[2]}, IDS[3:5], True),
            ({"after_id": IDS[-3]}, IDS[-2:], False),
            ({"after_id": IDS[-1]}, [], False),
            ({"limit": 2, "before_id": IDS[5]}, IDS[3:5], True),
            ({"limit": 2, "before_id": IDS[2]}, IDS[:2], False),
        ],
    )
    def test_of_the_list(self, query: dict[str, Any], page: list[str], has_more: bool) -> None:
        found = get("models", **query)
        assert [one["id"] for one in found["data"]] == page
        ends = (page[0], page[-1]) if page else (None, None)
        assert (found["has_more"], (found["first_id"], found["last_id"])) == (has_more, ends)

    @pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1_001}, {"limit": "x"}, {"after_id": "no"}])
    def test_a_wrong_page_names_its_field(self, query: dict[str, Any]) -> None:
        error = get("models", **query)["error"]
        assert (error["code"], error["param"]) == ("invalid_input", next(iter(query)))
