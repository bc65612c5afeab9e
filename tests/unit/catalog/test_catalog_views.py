"""The bodies of the catalog and cost routes."""

import json
from decimal import Decimal

from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.test_quote import priced
from tollgate.catalog.views import catalog_dto, cost_view

REQUIRED = {
    "id", "group", "name", "description", "descriptionLocales", "type", "kind", "vendor", "tags",
    "capabilities", "pricing", "priceFrom", "priceUnit", "params", "protocols",
}  # fmt: skip


class TestCatalogDto:
    def test_has_the_fields_of_the_contract(self) -> None:
        for model in CATALOG.all_models():
            keys = catalog_dto(model).keys()
            assert REQUIRED <= keys <= REQUIRED | {"releasedAt", "pageUpdatedAt", "shutsDown", "routes"}

    def test_is_plain_json(self) -> None:
        for model in CATALOG.all_models():
            assert json.loads(json.dumps(catalog_dto(model))) == catalog_dto(model)

    def test_seedance(self) -> None:
        dto = catalog_dto(CATALOG.media_model("seedance-1.5-pro"))
        assert (dto["type"], dto["kind"], dto["priceUnit"], dto["priceFrom"]) == (
            "VIDEO",
            "media",
            "second",
            "0.013",
        )
        assert dto["pricing"][1] == {
            "key": "480p-audio",
            "price": "0.025",
            "isDefault": True,
            "dimensions": {"resolution": "480p", "audio": "true"},
        }
        assert set(dto["descriptionLocales"]) == {"de", "es", "fr", "ja", "zh"}

    def test_tells_nothing_of_providers_or_costs(self) -> None:
        for model in CATALOG.all_models():
            assert not {"costs", "upstream", "restrictions", "deadlineS"} & catalog_dto(model).keys()

    def test_price_entries_have_the_keys_of_the_contract(self) -> None:
        for model in CATALOG.all_models():
            for entry in catalog_dto(model)["pricing"]:
                assert (
                    {"key", "price", "isDefault"}
                    <= entry.keys()
                    <= {"key", "price", "isDefault", "dimensions"}
                )
                assert all(isinstance(value, str) for value in entry.get("dimensions", {}).values())

    def test_the_lowest_price_is_one_of_the_entries(self) -> None:
        for model in CATALOG.all_models():
            dto = catalog_dto(model)
            prices = [
                Decimal(entry["price"])
                for entry in dto["pricing"]
                if entry["key"] != "reference_image"
                and not {"per", "service"} & entry.get("dimensions", {}).keys()
            ]
            assert Decimal(dto["priceFrom"]) == min(prices)


class TestCostView:
    def test_z_image(self) -> None:
        prices = [{"key": "default", "price": "0.01", "isDefault": True}]
        assert cost_view(CATALOG.media_model("z-image")) == {"priceUnit": "generation", "prices": prices}

    def test_extras_are_entries_and_no_lowest_price(self) -> None:
        extras = [{"key": "reference_image", "price": "0.01", "counts": "imageUrls"}]
        prices = [{"key": "default", "price": "0.10", "isDefault": True}]
        model = priced(unit="generation", prices=prices, extras=extras)
        assert cost_view(model)["prices"][1] == {
            "key": "reference_image",
            "price": "0.01",
            "isDefault": False,
        }
        assert catalog_dto(model)["priceFrom"] == "0.10"
