"""Reading the data: lazily, strictly, and only what can be run."""

from pathlib import Path

import pytest

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.loader import DATA, Catalog, read_model
from tollgate.kit.errors import ModelNotFoundError

TEXT = (DATA / "z-image.yaml").read_text(encoding="utf-8")


def written(folder: Path, text: str, name: str = "z-image") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


class TestGet:
    def test_gives_the_model(self) -> None:
        assert Catalog.shipped().get("z-image").name == "Z-Image Turbo"

    @pytest.mark.parametrize("model_id", ["", "nope", "../data/z-image", "z-image.yaml", "Z-IMAGE"])
    def test_refuses_what_there_is_not(self, model_id: str) -> None:
        with pytest.raises(ModelNotFoundError):
            Catalog.shipped().get(model_id)

    def test_reads_a_file_once_and_only_when_asked(self, tmp_path: Path) -> None:
        written(tmp_path, TEXT)
        written(tmp_path, "not: a model", name="broken")
        catalog = Catalog.shipped(tmp_path)
        assert catalog.get("z-image") is catalog.get("z-image")
        with pytest.raises(CatalogError, match=r"broken\.yaml"):
            catalog.get("broken")


class TestLiveRoutes:
    def test_only_models_with_a_live_route_are_listed(self) -> None:
        live = Catalog.shipped().with_live(frozenset({"fal"}))
        assert [model.id for model in live.models()] == ["seedance-1.5-pro", "z-image"]
        with pytest.raises(ModelNotFoundError):
            live.get("suno")

    def test_a_model_has_only_its_live_routes_in_their_order(self) -> None:
        catalog = Catalog.shipped()
        assert [
            one.provider for one in catalog.with_live(frozenset({"poyo", "fal"})).get("z-image").routes
        ] == ["fal", "poyo"]
        assert [one.provider for one in catalog.with_live(frozenset({"poyo"})).get("z-image").routes] == [
            "poyo"
        ]

    def test_a_route_that_is_off_is_not_live(self) -> None:
        with pytest.raises(ModelNotFoundError):
            Catalog.shipped().with_live(frozenset({"kie"})).get("z-image")

    def test_without_providers_nothing_is_listed(self) -> None:
        assert Catalog.shipped().with_live(frozenset()).models() == []


class TestRefusals:
    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ('price: "0.01"', "price: 0.01", r"pricing\.prices\.0\.price: .*decimal string"),
            ('price: "0.01"', 'price: "-1"', r"pricing\.prices\.0\.price: .*decimal string"),
            ('price: "0.01"', 'price: "0.00"', r"pricing\.prices\.0\.price: .*above 0"),
            ('price: "0.01"', 'price: "NaN"', r"pricing\.prices\.0\.price"),
            ("isDefault: true", "isDefault: 1", r"pricing\.prices\.0\.isDefault"),
            ("deadlineS: 300", "deadlineS: 0", "deadlineS"),
            ("vendor:", "vendr:", "vendor: Field required; vendr: Extra"),
            ("type: IMAGE", "type: PICTURE", "type"),
            ("id: z-image", "id: z-image-2", "must be the file's name"),
            ("id: z-image", "id: [", "not YAML"),
            ("confidence: FOUND", "confidence: SURE", r"routes\.0\.confidence"),
        ],
    )
    def test_name_file_and_field(self, tmp_path: Path, old: str, new: str, reason: str) -> None:
        with pytest.raises(CatalogError, match=f"(?s)z-image.yaml: .*{reason}"):
            read_model(written(tmp_path, TEXT.replace(old, new, 1)))
