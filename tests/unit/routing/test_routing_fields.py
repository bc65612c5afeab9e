"""The routing fields of a body: what is read, and what is refused by its name."""

from decimal import Decimal
from typing import Any

import pytest

from tollgate.accounts.views import routing_view
from tollgate.routing.facts import KnownProviders, ProviderFacts
from tollgate.routing.reading import MAX_MODELS, Asked, read_routing, resolved
from tollgate.routing.wishes import Sort, Wishes

KNOWN = KnownProviders.of(
    (
        ProviderFacts("google", "Google (Gemini API)", ("google-ai-studio",)),
        ProviderFacts("bedrock", "Amazon Bedrock (Claude)", ("amazon-bedrock",)),
    )
)


def paths(fields: dict[str, Any]) -> list[str]:
    return [problem.path for problem in read_routing({"model": "m", **fields})[2]]


def wishes(**provider: Any) -> Wishes:
    _, asked, problems = read_routing({"model": "m", "provider": provider})
    assert problems == []
    return asked.wishes


class TestProvider:
    def test_every_wish(self) -> None:
        found = wishes(
            order=["b", "a", "b"],
            only=["a", "b"],
            ignore=["c"],
            allow_fallbacks=False,
            require_parameters=True,
            data_collection="deny",
            zdr=True,
            max_price={"prompt": 1, "completion": "2.50", "request": 0},
            sort={"by": "latency", "partition": "none"},
        )
        assert found == Wishes(
            order=("b", "a"),
            only=frozenset({"a", "b"}),
            ignore=frozenset({"c"}),
            allow_fallbacks=False,
            require_parameters=True,
            deny_data_collection=True,
            zdr=True,
            max_price={"prompt": Decimal(1), "completion": Decimal("2.5"), "request": Decimal(0)},
            sort=Sort.LATENCY,
            across_models=True,
        )

    def test_a_stored_policy_shows_no_mix_of_the_models_of_a_request(self) -> None:
        sort = {"by": "latency", "partition": "none"}
        assert routing_view(wishes(sort=sort)) == routing_view(wishes(sort="latency")) == {"sort": "latency"}

    def test_null_and_values_without_an_effect_ask_for_nothing(self) -> None:
        # The SDKs send null for unset fields.
        idle = {"order": None, "only": None, "quantizations": None, "enforce_distillable_text": False}
        assert wishes(**idle, options={}, data_collection="allow", sort={"by": None}) == Wishes()

    @pytest.mark.parametrize(
        ("provider", "path"),
        [
            ("anthropic", "/provider"),
            ({"onyl": ["a"]}, "/provider/onyl"),
            ({"only": "a"}, "/provider/only"),
            ({"only": []}, "/provider/only"),
            ({"order": [1]}, "/provider/order"),
            ({"ignore": ["x"] * 51}, "/provider/ignore"),
            ({"zdr": "yes"}, "/provider/zdr"),
            ({"allow_fallbacks": 0}, "/provider/allow_fallbacks"),
            ({"data_collection": "never"}, "/provider/data_collection"),
            ({"max_price": 1}, "/provider/max_price"),
            ({"max_price": {"prompt": "-1"}}, "/provider/max_price/prompt"),
            ({"max_price": {"prompt": "NaN"}}, "/provider/max_price/prompt"),
            ({"max_price": {"image": 1}}, "/provider/max_price/image"),
            ({"sort": "exacto"}, "/provider/sort"),
            ({"sort": {"by": "price", "partition": "all"}}, "/provider/sort/partition"),
            ({"sort": {"at": "price"}}, "/provider/sort/at"),
            ({"quantizations": ["fp8"]}, "/provider/quantizations"),
            ({"preferred_max_latency": 1}, "/provider/preferred_max_latency"),
            ({"preferred_min_throughput": {"p50": 1}}, "/provider/preferred_min_throughput"),
            ({"enforce_distillable_text": True}, "/provider/enforce_distillable_text"),
            ({"options": {"openai": {"a": 1}}}, "/provider/options"),
        ],
    )
    def test_a_wish_that_cannot_be_honoured_is_refused_by_name(self, provider: Any, path: str) -> None:
        assert paths({"provider": provider}) == [path]


class TestModels:
    @pytest.mark.parametrize(
        ("fields", "model", "fallbacks", "sort"),
        [
            ({"model": "a", "models": ["b", "c"]}, "a", ("b", "c"), None),
            ({"models": ["a", "b"]}, "a", ("b",), None),
            ({"model": "a", "models": ["a", "b", "b"]}, "a", ("b",), None),
            ({"model": "a:nitro"}, "a", (), Sort.THROUGHPUT),
            ({"model": "a:floor", "models": ["b:floor"]}, "a", ("b",), Sort.PRICE),
            ({"model": "a:floor", "provider": {"sort": "price"}}, "a", (), Sort.PRICE),
            ({"model": "a", "route": "fallback"}, "a", (), None),
        ],
    )
    def test_the_model_its_fallbacks_and_the_order(
        self, fields: dict[str, Any], model: str, fallbacks: tuple[str, ...], sort: Sort | None
    ) -> None:
        assert read_routing(fields) == (model, Asked(fallbacks, Wishes(sort=sort)), [])

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"models": "a"}, "/models"),
            ({"models": [1]}, "/models"),
            ({"models": [f"m{n}" for n in range(MAX_MODELS)]}, "/models"),
            ({"model": "a:floor", "models": ["b:nitro"]}, "/model"),
            ({"model": "a:floor", "provider": {"sort": "latency"}}, "/model"),
            ({"route": "sort"}, "/route"),
        ],
    )
    def test_what_is_refused(self, fields: dict[str, Any], path: str) -> None:
        assert paths(fields) == [path]


class TestNames:
    def test_of_openrouter_and_of_the_catalog_are_one(self) -> None:
        asked = Wishes(order=("Google AI Studio", "amazon-bedrock"), ignore=frozenset({"BEDROCK"}))
        assert resolved(asked, KNOWN) == (
            Wishes(order=("google", "bedrock"), ignore=frozenset({"bedrock"})),
            [],
        )

    def test_an_unknown_one_is_refused_with_those_that_exist(self) -> None:
        asked = Wishes(order=("gogle",), only=frozenset({"deepinfra/fp4"}), ignore=frozenset({"x"}))
        _, problems = resolved(asked, KNOWN)
        assert [problem.path for problem in problems] == [
            "/provider/only",
            "/provider/order",
            "/provider/ignore",
        ]
        assert all(problem.allowed == ["bedrock", "google"] for problem in problems)
