"""The text on images of link previews, and which image a page names."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tollgate.catalog.loader import AnyModel, Catalog
from tollgate.catalog.models import Model
from tollgate.reference import preview_store
from tollgate.reference.previews import SERVICE, of_kind, of_model, shown


def model(model_id: str) -> AnyModel:
    """Return a model of the shipped catalog."""
    found = Catalog.shipped().find_by_id(model_id)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have no images."""
    monkeypatch.setattr(preview_store, "FOLDER", tmp_path)
    return tmp_path


class TestText:
    @pytest.mark.parametrize(
        ("model_id", "text"),
        [
            ("test-image", "Test image · Image by Tollgate · Free"),
            ("z-image", "Z-Image Turbo · Image by Alibaba · $0.01 per image"),
            (
                "claude-haiku-4-5",
                "Claude Haiku 4.5 · Text by Anthropic · $1.00 input · $5.00 output per 1M tokens",
            ),
        ],
    )
    def test_it_names_the_model_its_kind_vendor_and_price(self, model_id: str, text: str) -> None:
        assert of_model(model(model_id)).text == text

    def test_the_name_of_the_file_changes_with_each_part_of_the_text(self) -> None:
        preview = of_model(model("z-image"))
        assert preview.file.startswith("z-image-")
        parts = ("chip", "above", "title", "strong", "below")
        changed = {replace(preview, **{part: "another"}).file for part in parts}
        assert len(changed | {preview.file}) == 6


class TestShown:
    def test_a_page_about_no_model_has_the_image_of_the_service(self) -> None:
        assert shown(None) is SERVICE

    def test_a_model_has_its_own_if_that_was_drawn(self, folder: Path) -> None:
        found = model("z-image")
        assert shown(found) == of_kind("IMAGE")
        (folder / of_model(found).file).touch()
        assert shown(found) == of_model(found)

    def test_a_model_with_another_price_since_the_build_has_the_image_of_its_kind(self, folder: Path) -> None:
        found = model("z-image")
        (folder / of_model(found).file).touch()
        assert isinstance(found, Model)
        dearer = replace(found.pricing.prices[0], price=Decimal("0.02"))
        assert shown(replace(found, pricing=replace(found.pricing, prices=[dearer]))) == of_kind("IMAGE")


class TestContent:
    def test_it_is_the_file_of_that_name(self, folder: Path) -> None:
        (folder / "z-image-1.png").write_bytes(b"image")
        assert preview_store.content("z-image-1.png") == b"image"

    @pytest.mark.parametrize(
        "name",
        [
            "other.png",
            "..",
            ".png",
            "../x.png",
            "a.unfinished",
            "A.png",
            "a\0.png",
            "",
            pytest.param("a" * 5000 + ".png", id="long"),
        ],
    )
    def test_there_is_none_of_another_name(self, folder: Path, name: str) -> None:
        (folder / "a.unfinished").touch()
        (folder.parent / "x.png").touch()
        assert preview_store.content(name) is None
