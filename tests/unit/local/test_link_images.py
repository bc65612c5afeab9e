"""The images that link previews show, opened by a decoder."""

import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from local.deploy.previews import EDGE_PX, build, draw, ground, previews
from local.simulator.media.lettering import font
from tollgate.reference.previews import SERVICE, Preview

MAX_BYTES = 40_000
"""Of one image, so that all of them add few megabytes to a deployment."""
LONG = Preview("x", "Video", "by " + "W" * 90, "W" * 90, "$" * 90, "m" * 90)


# One process draws all images once.
pytestmark = pytest.mark.xdist_group("link images")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all images, in which there was an old one."""
    made = tmp_path_factory.mktemp("images")
    (made / "old-0123456789.png").touch()
    build(made)
    return made


def ink_of(content: bytes) -> tuple[int, int, int, int]:
    """Return the box around everything that is not in the background of all images."""
    with Image.open(BytesIO(content)) as image:
        # Few colours: the background of an image is only nearly the same.
        difference = ImageChops.difference(image.convert("RGB"), ground()).convert("L")
    box = difference.point(lambda value: 255 if value > 40 else 0).getbbox()
    assert box is not None
    return box


def assert_inside(box: tuple[int, int, int, int]) -> None:
    """Assert that text is below the mark, and leaves the edges free."""
    left, top, right, bottom = box
    assert left >= EDGE_PX - 4
    assert top >= 200
    assert right <= 1200 - EDGE_PX + 4
    assert bottom <= 600


class TestImages:
    def test_there_is_one_of_each_model_and_kind_and_of_the_service(self, folder: Path) -> None:
        names = {path.name for path in folder.iterdir()}
        assert names == {preview.file for preview in previews()}
        assert (
            sum(name.startswith(("image-", "video-", "music-", "text-", "tollgate-")) for name in names) >= 5
        )

    def test_each_is_a_small_png_of_the_promised_size(self, folder: Path) -> None:
        for path in folder.iterdir():
            with Image.open(path) as image:
                image.load()
                assert (image.format, image.size) == ("PNG", (1200, 630)), path.name
            assert path.stat().st_size < MAX_BYTES, path.name

    def test_no_text_reaches_an_edge_or_the_next_line(self, folder: Path) -> None:
        for path in folder.iterdir():
            assert_inside(ink_of(path.read_bytes()))

    def test_long_text_is_shortened(self) -> None:
        assert_inside(ink_of(draw(LONG)))

    def test_the_font_has_every_letter(self) -> None:
        lettering = font(40)
        unknown = lettering.getmask("\uffff").getbbox(), bytes(lettering.getmask("\uffff"))
        letters = {letter for preview in previews() for letter in preview.text if not letter.isspace()}
        missing = {
            letter
            for letter in letters
            if (lettering.getmask(letter).getbbox(), bytes(lettering.getmask(letter))) == unknown
        }
        assert missing == set()


class TestBuild:
    def test_the_same_text_gives_the_same_bytes(self, folder: Path) -> None:
        assert draw(SERVICE) == (folder / SERVICE.file).read_bytes()

    def test_an_image_is_drawn_again_only_if_the_program_is_newer(self, folder: Path) -> None:
        old, current = (folder / preview.file for preview in list(previews())[:2])
        os.utime(old, (0, 0))
        old.write_bytes(b"another design")
        os.utime(old, (0, 0))
        current.write_bytes(b"kept")
        build(folder)
        assert old.read_bytes() == draw(SERVICE)
        assert current.read_bytes() == b"kept"
        current.unlink()
        build(folder)

    def test_two_services_can_draw_into_one_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second one draws everything while the first one has written, but not yet named, an image."""
        monkeypatch.setattr("local.deploy.previews.previews", lambda: [SERVICE])
        monkeypatch.setattr("local.deploy.previews.draw", lambda _: b"drawn")
        replace = Path.replace
        begun: list[Path] = []

        def interrupted(path: Path, target: Path) -> Path:
            if not begun:
                begun.append(path)
                build(tmp_path)
            return replace(path, target)

        monkeypatch.setattr(Path, "replace", interrupted)
        build(tmp_path)
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"drawn"]
