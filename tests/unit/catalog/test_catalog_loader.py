"""Reading the data: lazily, strictly, and only what can be run."""

import json
import pickle
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tollgate.catalog.dated import FIRST
from tollgate.catalog.errors import CatalogError
from tollgate.catalog.loader import (
    COMPILED,
    DATA,
    READY,
    Catalog,
    Document,
    Folder,
    compile_into,
    compiled,
    ready,
)
from tollgate.kit.errors import ModelNotFoundError

TEXT = (DATA / "z-image.yaml").read_text(encoding="utf-8")


def written(folder: Path, text: str, name: str = "z-image") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


class TestGet:
    def test_gives_the_model(self) -> None:
        assert Catalog.shipped().media_model("z-image").name == "Z-Image Turbo"

    @pytest.mark.parametrize("model_id", ["", "nope", "../data/z-image", "z-image.yaml"])
    def test_refuses_what_there_is_not(self, model_id: str) -> None:
        with pytest.raises(ModelNotFoundError):
            Catalog.shipped().media_model(model_id)

    def test_reads_a_file_once_and_only_when_asked(self, tmp_path: Path) -> None:
        written(tmp_path, TEXT)
        written(tmp_path, "not: a model", name="broken")
        catalog = Catalog.shipped(tmp_path)
        assert catalog.media_model("z-image") is catalog.media_model("z-image")
        with pytest.raises(CatalogError, match=r"broken\.yaml"):
            catalog.media_model("broken")


class TestLiveRoutes:
    def test_only_models_with_a_live_route_are_listed(self) -> None:
        live = Catalog.shipped().with_live(frozenset({"muapi"}))
        assert [model.id for model in live.media_models()] == ["flux-3-klein", "kling-4.0"]
        with pytest.raises(ModelNotFoundError):
            live.media_model("suno")

    def test_a_route_whose_mapping_no_adapter_knows_is_not_live(self) -> None:
        mappings = {"fal": {"z-image"}, "poyo": {"suno", "z-image"}}
        live = Catalog.shipped().with_live(frozenset({"fal", "poyo", "kie"}), mappings)
        assert {"suno", "z-image"} <= {model.id for model in live.media_models()}
        routes = {(route.provider, route.mapping) for model in live.media_models() for route in model.routes}
        assert routes == {("fal", "z-image"), ("poyo", "suno"), ("poyo", "z-image")}
        assert [route.provider for route in live.media_model("z-image").routes] == ["fal", "poyo"]

    def test_a_model_has_only_its_live_routes_in_their_order(self) -> None:
        catalog = Catalog.shipped()
        assert [
            one.provider
            for one in catalog.with_live(frozenset({"poyo", "fal"})).media_model("z-image").routes
        ] == ["fal", "poyo"]
        assert [
            one.provider for one in catalog.with_live(frozenset({"poyo"})).media_model("z-image").routes
        ] == ["poyo"]

    def test_a_route_that_is_off_is_not_live(self) -> None:
        with pytest.raises(ModelNotFoundError):
            Catalog.shipped().with_live(frozenset({"apimart"})).media_model("seedance-1.5-pro")

    def test_what_nothing_serves_is_not_listed(self) -> None:
        models = Catalog.shipped().media_models()
        everyone = frozenset(route.provider for model in models for route in model.routes)
        live = {model.id for model in Catalog.shipped().with_live(everyone).media_models()}
        assert live == {model.id for model in models if any(route.enabled for route in model.routes)}
        assert "sora-2" not in live

    def test_a_text_model_is_found_as_such_only(self) -> None:
        catalog = Catalog.shipped().with_live(frozenset({"anthropic"}))
        assert catalog.text_model("claude-opus-5-5").name == "Claude Opus 5.5"
        assert {model.vendor for model in catalog.text_models()} == {"Anthropic"}
        with pytest.raises(ModelNotFoundError):
            catalog.media_model("claude-opus-5-5")
        with pytest.raises(ModelNotFoundError):
            catalog.text_model("gpt-5.5")
        with pytest.raises(ModelNotFoundError):
            Catalog.shipped().text_model("z-image")

    def test_without_providers_nothing_is_listed(self) -> None:
        assert Catalog.shipped().with_live(frozenset()).media_models() == []


class TestRefusals:
    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ('price: "0.01"', "price: 0.01", r"pricing\.prices\.0\.price: .*decimal string"),
            ('price: "0.01"', 'price: "-1"', r"pricing\.prices\.0\.price: .*decimal string"),
            ('price: "0.01"', 'price: "0.00"', "pricing: every price and cost must be above 0"),
            ('cost: "0.01"', 'cost: "0"', "pricing: every price and cost must be above 0"),
            (
                "tags:",
                "free: true\ntags:",
                "pricing: every price and cost must be 0, because the model is free",
            ),
            ('price: "0.01"', 'price: "NaN"', r"pricing\.prices\.0\.price"),
            ("isDefault: true", "isDefault: 1", r"pricing\.prices\.0\.isDefault"),
            ("deadlineS: 300", "deadlineS: 0", "deadlineS"),
            ("vendor:", "vendr:", "vendor: Field required; vendr: Unexpected"),
            ("type: IMAGE", "type: PICTURE", "type"),
            ("id: z-image", "id: z-image-2", "must be the file's name"),
            ("id: z-image", "id: [", "not YAML"),
            ("confidence: FOUND", "confidence: SURE", r"routes\.0\.confidence"),
        ],
    )
    def test_name_file_and_field(self, tmp_path: Path, old: str, new: str, reason: str) -> None:
        with pytest.raises(CatalogError, match=f"(?s)z-image.yaml: .*{reason}"):
            Folder(written(tmp_path, TEXT.replace(old, new, 1)).parent).read("z-image")

    @pytest.mark.parametrize(
        "family", ["models: [{id: x}]", "shared: {}", "[]", "shared: {}\nmodels: [{name: x}]", ""]
    )
    def test_a_family_that_is_none_is_named(self, tmp_path: Path, family: str) -> None:
        (tmp_path / "text").mkdir()
        (tmp_path / "text" / "gpt.yaml").write_text(family)
        with pytest.raises(CatalogError, match=r"gpt\.yaml: needs"):
            Folder(tmp_path).ids()


class TestCompiled:
    def test_is_read_in_place_of_the_files(self, tmp_path: Path) -> None:
        written(tmp_path, TEXT)
        (tmp_path / COMPILED).write_bytes(compiled(tmp_path))
        written(tmp_path, "not: a model")
        catalog = Catalog.shipped(tmp_path)
        assert catalog.media_models() == [Catalog.shipped().media_model("z-image")]
        with pytest.raises(ModelNotFoundError):
            catalog.media_model("suno")

    def test_says_the_same_as_the_files(self) -> None:
        document = Catalog(Document(json.loads(compiled())))
        assert document.all_models() == Catalog.shipped().all_models()

    def test_its_ready_models_are_those_that_the_check_of_the_files_makes(self, tmp_path: Path) -> None:
        compile_into(str(tmp_path))
        made = pickle.loads((tmp_path / READY).read_bytes())  # noqa: S301 - written above
        first = [pickle.loads(by_day[FIRST]) for by_day in made.values()]  # noqa: S301
        assert first == Catalog.shipped().all_models()
        assert Catalog.shipped(tmp_path).all_models() == Catalog.shipped().all_models()

    def test_its_ready_models_consist_of_our_classes_so_no_package_can_make_them_unreadable(self) -> None:
        named: set[str] = set()

        class Naming(pickle.Unpickler):
            def find_class(self, module: str, name: str) -> Any:
                named.add(module)
                return super().find_class(module, name)

        for by_day in pickle.loads(ready(compiled())).values():  # noqa: S301 - written here
            for one in by_day.values():
                Naming(BytesIO(one)).load()
        assert named == {f"tollgate.catalog.{name}" for name in ("models", "text_models", "restrictions")} | {
            "decimal"
        }

    def test_its_ready_models_are_not_checked_again(self, tmp_path: Path) -> None:
        compile_into(str(tmp_path))
        found = json.loads((tmp_path / COMPILED).read_text())
        # What they were made of is gone: of each, its kind alone is left.
        bare = {name: {"kind": raw.get("kind")} for name, raw in found.items()}
        (tmp_path / COMPILED).write_text(json.dumps(bare))
        assert Catalog.shipped(tmp_path).all_models() == Catalog.shipped().all_models()

    def test_refuses_what_the_files_would(self, tmp_path: Path) -> None:
        written(tmp_path, TEXT.replace("vendor:", "vendr:"))
        with pytest.raises(CatalogError, match="vendr"):
            compiled(tmp_path)
