"""The catalog and cost routes: filters, ETags, and the bodies."""

import json
from typing import Any, get_args, get_type_hints

import pytest
import yaml

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.listing import CLOSED, Listing
from tollgate.catalog.loader import DATA
from tollgate.catalog.views import CatalogModelView
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.kit.problems import Problem, one_of

LISTING = Listing(CATALOG)
# What stands in the files, whatever reads them.
MEDIA = {file.stem for file in DATA.glob("*.yaml")}
TEXTS = {raw["id"] for file in DATA.glob("text/*.yaml") for raw in yaml.safe_load(file.read_text())["models"]}


def listed(**query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(LISTING.models(query).body)
    return found


class TestFilters:
    def test_without_any_every_model_is_there(self) -> None:
        assert {model["id"] for model in listed()} == MEDIA | TEXTS

    @pytest.mark.parametrize(
        ("name", "value", "key"), [("type", "IMAGE", "type"), ("vendor", "Alibaba", "vendor")]
    )
    def test_keep_what_fits(self, name: str, value: str, key: str) -> None:
        found = listed(**{name: value})
        assert found == [model for model in listed() if model[key] == value]
        assert found

    def test_by_kind(self) -> None:
        assert {model["id"] for model in listed(kind="llm")} == TEXTS
        assert {model["id"] for model in listed(kind="media")} == MEDIA

    def test_by_capability(self) -> None:
        found = listed(capability="motion-control")
        assert {model["id"] for model in found} == {"kling-3.0-motion-control", "kling-2.6-motion-control"}

    def test_upper_and_lower_case_are_the_same(self) -> None:
        assert listed(type="image") == listed(type="Image") == listed(type="IMAGE")
        assert listed(vendor="OPENAI") == listed(vendor="OpenAI")

    def test_all_must_fit(self) -> None:
        assert {
            model["id"] for model in listed(type="VIDEO", vendor="Google", capability="VIDEO-TO-VIDEO")
        } == {"gemini-omni-1.1-flash"}

    @pytest.mark.parametrize("name", ["vendor", "capability"])
    def test_an_unknown_vendor_or_capability_gives_an_empty_list(self, name: str) -> None:
        assert listed(**{name: "nope"}) == []

    def test_an_unknown_filter_is_refused_by_name(self) -> None:
        with pytest.raises(InvalidInputError) as refused:
            listed(colour="red", type="image")
        assert refused.value.problems == [
            Problem("/colour", "Unknown parameter.", ["type", "kind", "vendor", "capability"])
        ]

    def test_the_types_and_kinds_are_those_of_a_model(self) -> None:
        fields = get_type_hints(CatalogModelView)
        assert {name: list(get_args(fields[name])) for name in CLOSED} == CLOSED

    @pytest.mark.parametrize(
        ("name", "allowed"), [("type", ["IMAGE", "VIDEO", "MUSIC", "3D", "TEXT"]), ("kind", ["media", "llm"])]
    )
    def test_an_unknown_type_or_kind_is_refused_with_those_that_exist(
        self, name: str, allowed: list[str]
    ) -> None:
        with pytest.raises(InvalidInputError) as refused:
            listed(**{name: "nope"})
        assert refused.value.problems == [one_of(f"/{name}", allowed)]


class TestEtag:
    def test_is_strong_and_the_same_for_the_same_content(self) -> None:
        etag = LISTING.models({}).etag
        assert etag.startswith('"')
        assert etag.endswith('"')
        assert Listing(CATALOG).models({}).etag == etag
        assert LISTING.models({"type": "image"}).etag == LISTING.models({"type": "IMAGE"}).etag

    def test_differs_with_the_content(self) -> None:
        etags = {LISTING.models({}).etag, LISTING.models({"kind": "llm"}).etag, LISTING.costs().etag}
        assert len(etags) == 3

    def test_the_whole_list_is_made_once(self) -> None:
        assert LISTING.models({}) is LISTING.models({})

    @pytest.mark.parametrize(
        ("header", "known"),
        [
            (None, False),
            ('"a"', True),
            ('W/"a"', True),
            ('"b", "a"', True),
            ("*", True),
            ('"b"', False),
            ("a", False),
            ("", False),
        ],
    )
    def test_if_none_match(self, header: str | None, known: bool) -> None:
        assert CachedBody(b"", '"a"').matches(header) is known


class TestOne:
    def test_model(self) -> None:
        assert json.loads(LISTING.model("test-image").body) in listed()
        assert json.loads(LISTING.model("claude-opus-5-5").body) in listed()

    def test_schema(self) -> None:
        assert json.loads(LISTING.schema("test-image").body)["title"] == "test-image"

    def test_cost(self) -> None:
        cost = json.loads(LISTING.cost("suno-custom-model").body)
        assert cost == {
            "model": "suno-custom-model",
            "priceUnit": "generation",
            "prices": [{"key": "default", "price": "0.96", "isDefault": True}],
        }
        all_costs = json.loads(LISTING.costs().body)
        assert all_costs["suno-custom-model"] == {key: cost[key] for key in ("priceUnit", "prices")}
        assert all_costs.keys() == {model["id"] for model in listed()}

    @pytest.mark.parametrize("model_id", ["nope", ""])
    def test_none_of_that_name(self, model_id: str) -> None:
        for page in (LISTING.model, LISTING.cost, LISTING.schema):
            with pytest.raises(ModelNotFoundError):
                page(model_id)

    def test_a_text_model_has_no_schema(self) -> None:
        with pytest.raises(ModelNotFoundError):
            LISTING.schema("claude-opus-5-5")
