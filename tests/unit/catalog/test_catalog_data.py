"""The shipped data keeps to the catalog's rules, and the lint sees what breaks them (decision 0002)."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.test_quote import priced
from tollgate.catalog.lint import faults
from tollgate.catalog.models import Model

MODELS = CATALOG.models()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_shipped_data_has_no_fault(model: Model) -> None:
    assert faults(model) == []


def one(price: str = "0.10", **more: Any) -> list[dict[str, Any]]:
    return [{"key": "a", "price": price, "isDefault": True, **more}]


EXTRA = {"key": "x", "price": "0.01", "counts": "imageUrls"}


class TestLint:
    @pytest.mark.parametrize(
        ("unit", "prices", "more", "reason"),
        [
            ("second", one("0.009"), {}, "0.009 is under the 0.01 of fal"),
            ("generation", one("0.015"), {}, "must be whole cents"),
            ("second", one(isDefault=False), {}, "exactly one price must be the default"),
            ("second", [*one(), *one(isDefault=False)], {}, "a key stands twice"),
            ("second", one(dimensions={"resolution": "480p"}), {}, "no price for"),
            ("second", one(dimensions={"resolution": "8k"}), {}, "resolution is never '8k'"),
            ("second", one(dimensions={"mode": "x"}), {}, "mode can have no list of values"),
            ("second", one(), {"times": "prompt"}, "times: 'prompt' is no number"),
            ("second", one(), {"extras": [{**EXTRA, "counts": "size"}]}, "is no array"),
            ("second", one(), {"extras": [{**EXTRA, "price": "0.001"}]}, "whole cents"),
        ],
    )
    def test_sees(self, unit: str, prices: Any, more: dict[str, Any], reason: str) -> None:
        assert reason in faults(priced(unit=unit, prices=prices, **more))[0]

    def test_finds_nothing_wrong_with_good_data(self) -> None:
        assert faults(priced(unit="second", prices=one(), extras=[EXTRA], times="duration")) == []

    def test_sees_restrictions_that_do_not_fit(self) -> None:
        model = CATALOG.get("suno").model_copy(update={"profile": "IMG-F"})
        model.__dict__.pop("input_class", None)
        assert "not in the profile" in faults(model)[0]

    def test_sees_missing_texts(self) -> None:
        model = CATALOG.get("z-image").model_copy(update={"description_locales": {}, "capabilities": []})
        assert faults(model) == [
            "z-image: descriptionLocales: needs at least 4",
            "z-image: capabilities: must not be empty",
        ]

    def test_a_route_that_is_off_may_cost_more(self) -> None:
        model = priced(unit="second", prices=one("0.009"))
        off = [model.routes[0].model_copy(update={"enabled": False})]
        assert faults(model.model_copy(update={"routes": off})) == []
