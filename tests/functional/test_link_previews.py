"""`/previews/{file}` of `functions/get_status`, and the image that each public page names."""

import base64
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from local.deploy.previews import draw, previews
from tests.functional.test_client_packages import call_path
from tests.functional.test_landing import get
from tests.functional.test_public_files import BASE_URL, attribute
from tollgate.composition import api as api_parts
from tollgate.reference import preview_store
from tollgate.reference.previews import SERVICE, of_kind, of_model

pytestmark = pytest.mark.usefixtures("dashboard")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an image under each name. Only one is drawn, because drawing takes long."""
    folder = tmp_path_factory.mktemp("previews")
    image = draw(SERVICE)
    for preview in previews():
        (folder / preview.file).write_bytes(image)
    return folder


@pytest.fixture(autouse=True)
def images(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the functions read that folder."""
    monkeypatch.setattr(preview_store, "FOLDER", drawn)


class TestFile:
    def test_its_bytes_arrive_in_base64(self, drawn: Path) -> None:
        answer = call_path("GET", f"/previews/{SERVICE.file}")
        assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, True)
        assert base64.b64decode(answer["body"]) == (drawn / SERVICE.file).read_bytes()
        assert answer["headers"]["content-type"] == "image/png"
        assert answer["headers"]["x-content-type-options"] == "nosniff"

    def test_a_cache_has_to_ask_and_is_not_sent_the_same_bytes_again(self) -> None:
        path = f"/previews/{SERVICE.file}"
        first = call_path("GET", path)["headers"]
        assert first["cache-control"] == "no-cache"
        again = call_path("GET", path, if_none_match=first["etag"])
        assert (again["statusCode"], again["body"]) == (304, "")

    def test_head_has_the_size_and_no_body(self, drawn: Path) -> None:
        answer = call_path("HEAD", f"/previews/{SERVICE.file}")
        assert (answer["statusCode"], answer["body"]) == (200, "")
        assert answer["headers"]["content-length"] == str((drawn / SERVICE.file).stat().st_size)

    @pytest.mark.parametrize("name", ["z-image.png", "..", "z-image", "previews.py"])
    def test_another_name_is_an_error_in_the_contracts_format(self, name: str) -> None:
        answer = call_path("GET", f"/previews/{name}")
        assert answer["statusCode"] == 404
        assert '"code":"not_found"' in answer["body"].replace(" ", "")


class TestPages:
    @pytest.mark.parametrize("path", ["/", "/docs", "/docs/errors", "/status", "/dashboard/catalog"])
    def test_a_page_about_no_model_has_the_image_of_the_service(self, path: str) -> None:
        assert named_by(path) == SERVICE.file

    def test_every_page_of_a_model_names_a_image_of_that_model_which_opens(self) -> None:
        models = api_parts.api().catalog.catalog().all_models()
        assert len(models) > 100
        for model in models:
            assert named_by(f"/models/{model.id}") == of_model(model).file

    def test_a_model_with_another_price_since_the_build_has_the_image_of_its_kind(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(preview_store, "FOLDER", tmp_path)
        (tmp_path / "z-image-0123456789.png").touch()
        kind = of_kind("IMAGE")
        text = get("/models/z-image")["body"]
        assert attribute(text, "og:image") == f"{BASE_URL}/previews/{kind.file}"
        assert attribute(text, "og:image:alt") == "Image models · Exact prices with one key and one balance"


def named_by(path: str) -> str:
    """Return the file name of a page's image, which opens and has the size that the page says."""
    text = get(path)["body"]
    address = attribute(text, "og:image")
    assert attribute(text, "twitter:card") == "summary_large_image"
    assert attribute(text, "og:image:alt")
    assert address.startswith(f"{BASE_URL}/previews/"), path
    content = base64.b64decode(call_path("GET", address.removeprefix(BASE_URL))["body"])
    with Image.open(BytesIO(content)) as image:
        image.load()
        size = [int(attribute(text, f"og:image:{side}")) for side in ("width", "height")]
        assert (image.get_format_mimetype(), list(image.size)) == (attribute(text, "og:image:type"), size)
    return address.rpartition("/")[2]
