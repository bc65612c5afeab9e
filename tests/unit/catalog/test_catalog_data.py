"""The shipped data keeps to the catalog's rules, and the lint sees what breaks them (decision 0002)."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.support.creates import Earlier, inputs, with_a_prompt
from tests.unit.catalog.cases import CATALOG, parsed
from tests.unit.catalog.test_quote import priced
from tests.unit.catalog.test_restrictions import ROUTES
from tollgate.catalog.lint import faults, shipped_faults
from tollgate.catalog.models import Model
from tollgate.web.languages import TRANSLATED

MODELS = CATALOG.media_models()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_shipped_data_has_no_fault(model: Model) -> None:
    assert faults(model) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_an_inferred_route_is_on_only_where_no_found_one_is(model: Model) -> None:
    found = [route for route in model.routes if route.enabled and route.confidence == "FOUND"]
    for route in model.routes:
        if route.enabled and route.confidence == "INFERRED":
            for other in found:
                shared = route.takes.keys() & other.takes.keys()
                apart = any(set(route.takes[name]).isdisjoint(other.takes[name]) for name in shared)
                assert apart, (
                    f"{route.provider} is INFERRED: it needs `enabled: false`, {other.provider} is FOUND"
                )


def test_make_chaos_has_a_valid_input_for_every_model() -> None:
    file = "https://example.com/file"
    earlier = Earlier(file, file, file, "task_1", "task_2")
    kinds = inputs([model.id for model in MODELS], earlier)
    assert {model for model, _ in kinds} == {model.id for model in MODELS}
    for model, values in kinds:
        CATALOG.media_model(model).check(with_a_prompt(values, "request 1, [[fail]]"))


def one(price: str = "0.10", **more: Any) -> list[dict[str, Any]]:
    return [{"key": "a", "price": price, "isDefault": True, **more}]


def routed(model: Model, **changed: Any) -> Model:
    """Return `model` with its one route changed."""
    return replace(model, routes=parsed(model.id, routes=[ROUTES[0] | changed], restrictions=None).routes)


def extra_cost(cost: str, free: int = 0) -> dict[str, Any]:
    return {"cost": cost, "counts": "imageUrls", "free": free, "basis": "FOUND", "why": "a test"}


EXTRA = {"key": "x", "price": "0.01", "counts": "imageUrls"}


class TestLint:
    @pytest.mark.parametrize(
        ("unit", "prices", "more", "reason"),
        [
            ("second", one("0.009"), {}, "0.009 is under the 0.01 of fal"),
            ("generation", one("0.015"), {}, "must be whole cents"),
            ("second", one(isDefault=False), {}, "exactly one price must be the default"),
            ("second", [*one(), *one(isDefault=False)], {}, "a key occurs twice"),
            ("second", one(dimensions={"resolution": "480p"}), {}, "no price for"),
            ("second", one(dimensions={"resolution": "8k"}), {}, "resolution is never '8k'"),
            ("second", one(dimensions={"mode": "x"}), {}, "mode can have no list of values"),
            ("second", one(), {"times": "prompt"}, "times: 'prompt' is no number"),
            ("second", one(), {"extras": [{**EXTRA, "counts": "size"}]}, "is not an array"),
            ("second", one(), {"extras": [{**EXTRA, "price": "0.001"}]}, "whole cents"),
        ],
    )
    def test_sees(self, unit: str, prices: Any, more: dict[str, Any], reason: str) -> None:
        assert reason in faults(priced(unit=unit, prices=prices, **more))[0]

    def test_finds_nothing_wrong_with_good_data(self) -> None:
        assert faults(priced(unit="second", prices=one(), extras=[EXTRA], times="duration")) == []

    @pytest.mark.parametrize(
        ("tiers", "takes", "is_good"),
        [
            (["480p", "720p"], {}, False),
            (["480p", "720p", "1080p", "1080p"], {}, False),
            (["480p", "720p"], {"resolution": ["480p", "720p"]}, True),
            (["480p", "720p", "1080p"], {}, True),
        ],
    )
    def test_names_the_route_whose_cost_is_missing(
        self, tiers: list[str], takes: dict[str, Any], is_good: bool
    ) -> None:
        model = priced(unit="second", prices=one())
        (route,) = model.routes
        costs = [replace(route.costs[0], dimensions={"resolution": tier}) for tier in tiers]
        found = faults(replace(model, routes=[replace(route, costs=costs, takes=takes)]))
        needs = "routes: fal needs one cost for {'resolution': '1080p'}, or a `takes` that excludes it"
        assert found == ([] if is_good else [f"{model.id}: {needs}"])

    def test_sees_restrictions_that_do_not_fit(self) -> None:
        model = replace(CATALOG.media_model("suno"), profile="IMG-F")
        assert "not in the profile" in faults(model)[0]

    def test_sees_missing_texts(self) -> None:
        model = replace(CATALOG.media_model("test-image"), description_locales={"de": "x"}, capabilities=[])
        assert faults(model) == ["test-image: capabilities: must not be empty"]
        assert shipped_faults(model, ("de", "es", "ja")) == [
            "test-image: descriptionLocales: es is missing",
            "test-image: descriptionLocales: ja is missing",
        ]

    @pytest.mark.parametrize(
        ("price", "extras", "cost", "fault"),
        [
            # 9 images at most, 4 s at least; the route itself costs 0.01 per second.
            ("0.01", [], extra_cost("0.001"), "1 imageUrls are billed less than the 0.001 of fal"),
            ("0.02", [], extra_cost("0.004"), ""),  # 9 x 0.004 = 0.036, and 4 x 0.01 is to spare
            ("0.02", [], extra_cost("0.005"), "9 imageUrls are billed less than the 0.045 of fal"),
            ("0.01", [EXTRA], extra_cost("0.01"), ""),
            ("0.01", [{**EXTRA, "free": 5}], extra_cost("0.01", 5), ""),
            ("0.01", [{**EXTRA, "free": 5}], extra_cost("0.01", 4), "5 imageUrls are billed less than"),
        ],
    )
    def test_compares_what_is_extra(self, price: str, extras: Any, cost: Any, fault: str) -> None:
        model = priced(unit="second", prices=one(price), extras=extras)
        found = faults(routed(model, extraCosts=[cost]))
        assert found[0].startswith(f"{model.id}: pricing: {fault}") if fault else found == []

    def test_items_that_a_route_does_not_take_do_not_count(self) -> None:
        model = priced(unit="second", prices=one("0.01"))
        three = {"extraCosts": [extra_cost("0.01", free=2)], "maxItems": {"imageUrls": 3}}
        assert "3 imageUrls are billed less" in faults(routed(model, **three))[0]
        assert faults(routed(model, **three | {"maxItems": {"imageUrls": 2}})) == []

    def test_costs_of_what_a_route_does_not_take_do_not_count(self) -> None:
        prices = [
            {"key": "480p", "price": "0.02", "isDefault": True, "dimensions": {"resolution": "480p"}},
            {"key": "720p", "price": "0.005", "dimensions": {"resolution": "720p"}},
            {"key": "1080p", "price": "0.02", "dimensions": {"resolution": "1080p"}},
        ]
        model = priced(unit="second", prices=prices)
        assert "720p: 0.005 is under" in faults(model)[0]
        assert faults(routed(model, takes={"resolution": ["480p", "1080p"]})) == []

    @pytest.mark.parametrize(
        ("takes", "fault"),
        [({"sise": []}, "takes 'sise', which is not a field"), ({"size": ["9:1"]}, "takes no value of size")],
    )
    def test_sees_what_a_route_cannot_take(self, takes: Any, fault: str) -> None:
        assert fault in faults(routed(priced(unit="second", prices=one()), takes=takes))[0]

    @pytest.mark.parametrize(
        ("most", "good"),
        [({"imageUrls": 9}, True), ({"imageUrls": 10}, False), ({"size": 1}, False), ({"sise": 1}, False)],
    )
    def test_sees_more_items_than_the_model_has(self, most: dict[str, int], good: bool) -> None:
        found = faults(routed(priced(unit="second", prices=one()), maxItems=most))
        assert found == [] if good else "which the model cannot have" in found[0]

    def test_a_route_that_is_off_may_cost_more(self) -> None:
        model = priced(unit="second", prices=one("0.009"))
        assert faults(replace(model, routes=[replace(model.routes[0], enabled=False)])) == []


def test_every_media_model_has_a_reserve_or_a_word_on_why_not_and_all_languages() -> None:
    assert [fault for model in CATALOG.media_models() for fault in shipped_faults(model, TRANSLATED)] == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_a_reason_for_a_single_route_has_the_day_of_the_search(model: Model) -> None:
    assert model.single_route is None or re.search(r"20\d\d-\d\d-\d\d", model.single_route)


def test_a_vendor_has_one_name() -> None:
    """A second name, such as "Alibaba (Qwen)" beside "Alibaba", would count as another vendor."""
    vendors = {model.vendor for model in CATALOG.all_models()}
    short = [vendor.partition(" (")[0] for vendor in vendors]
    assert len(short) == len(set(short))
