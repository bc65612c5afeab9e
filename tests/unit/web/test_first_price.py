"""The price of a form that is not filled in yet."""

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import quote
from tollgate.kit.problems import Problem
from tollgate.reference.generations import example_input
from tollgate.web.first_price import field_of, first_price, is_missing

MODELS = Catalog.shipped().media_models()


class TestFirstPrice:
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_it_is_what_the_whole_input_costs(self, model: Model) -> None:
        found = first_price(model, {})
        example = example_input(model)
        if found is None:
            # Billed by the length or the size of the customer's own file.
            assert example is not None
            assert model.probes(model.check(example))
            assert not model.free
            return
        if example is not None and not example.keys() - {"prompt", "imageUrls", "size"}:
            assert found.charge_cents == quote(model, model.check(example)).charge_cents

    def test_it_follows_what_is_there(self) -> None:
        model = next(one for one in MODELS if one.id == "kling-3.0")
        # Published: $0.084 a second at 720p
        price = first_price(model, {"duration": 10})
        assert price is not None
        assert price.charge_cents == 84


class TestProblems:
    def test_what_is_missing_is_told_from_what_is_wrong(self) -> None:
        assert is_missing(Problem("/input/prompt", "Required."))
        assert is_missing(Problem("/input/title", "Required for action cover."))
        assert not is_missing(Problem("/input/size", "Must be an allowed value."))

    def test_a_problem_of_an_item_is_one_of_its_field(self) -> None:
        assert field_of(Problem("/input/urls/1", "Must be a URL.")) == "urls"
        assert field_of(Problem("/model", "Unknown.")) == ""
