import io
from fractions import Fraction

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from local.simulator.media import rendered
from local.simulator.media.lettering import font, wrap
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.picture import FORMATS, Picture
from local.simulator.media.shapes import image_size_px
from local.simulator.media.sound import Song
from local.simulator.providers.inputs import images


class TestPicture:
    def test_it_is_a_png_of_the_asked_size_with_more_than_a_gradient_on_it(self) -> None:
        image = Image.open(io.BytesIO(Picture(1024, 576, "a red fox", "fal", seed=3).render()))
        image.load()
        assert (image.format, image.size, image.mode) == ("PNG", (1024, 576), "RGB")
        assert len(set(image.resize((64, 36)).get_flattened_data())) > 100

    @pytest.mark.parametrize(("form", "suffix"), FORMATS.items())
    def test_it_has_the_requested_type(self, form: str, suffix: str) -> None:
        asked = images(output_format=str, output_compression=int)
        given = {"prompt": "a fox", "output_format": form, "output_compression": 20}
        [picture] = asked.model_validate(given).artifacts("fal", 1)
        image = Image.open(io.BytesIO(picture.render()))
        image.load()
        assert (image.format, image.get_format_mimetype()) == (form.upper(), picture.content_type)
        assert picture.suffix == suffix

    def test_the_caption_changes_the_picture(self) -> None:
        pictures = [Picture(256, 256, caption, "fal", seed=3).render() for caption in ("a fox", "a hare")]
        assert pictures[0] != pictures[1]

    @pytest.mark.parametrize("caption", ["", "x" * 5_000, "\u72d0\u72f8 \U0001f98a", "\x00\t\n", "[[fail]]"])
    def test_any_caption_can_be_drawn(self, caption: str) -> None:
        assert Image.open(io.BytesIO(Picture(64, 128, caption, "fal", seed=1).render())).size == (64, 128)


class TestFilm:
    def test_with_audio_it_is_h264_and_aac_of_the_asked_length(self) -> None:
        with av.open(io.BytesIO(Mp4((16, 9), 4, True, "a fox", "fal", seed=1).render()), "r") as container:
            film, sound = container.streams.video[0], container.streams.audio[0]
            assert (film.codec_context.name, film.codec_context.pix_fmt) == ("h264", "yuv420p")
            assert (film.width, film.height) == (320, 180)
            assert film.duration is not None
            assert film.duration * (film.time_base or 0) == Fraction(4)
            assert sound.codec_context.name == "aac"
            assert container.duration == 4_000_000
            assert len(list(container.decode(video=0))) == 32

    def test_without_audio_it_has_one_stream(self) -> None:
        with av.open(io.BytesIO(Mp4((9, 16), 12, False, "a fox", "fal", seed=1).render()), "r") as container:
            assert [stream.type for stream in container.streams] == ["video"]
            assert container.duration == 12_000_000

    def test_the_picture_moves(self) -> None:
        with av.open(io.BytesIO(Mp4((1, 1), 4, False, "a fox", "fal", seed=1).render()), "r") as container:
            frames = [bytes(frame.planes[0]) for frame in container.decode(video=0)]
        assert frames[0] != frames[-1]

    @pytest.mark.parametrize("seed", [-5, 10**15])
    def test_any_seed_will_do(self, seed: int) -> None:
        assert Mp4((16, 9), 4, True, "a fox", "fal", seed).render()
        assert Picture(64, 64, "a fox", "fal", seed).render()

    def test_the_index_stands_before_the_data(self) -> None:
        content = Mp4((16, 9), 4, False, "a fox", "fal", seed=1).render()
        assert content.index(b"moov") < content.index(b"mdat")

    @pytest.mark.parametrize("aspect", [(16, 9), (9, 16), (1, 1), (4, 3), (3, 4), (21, 9)])
    def test_sides_are_even_and_exactly_in_the_asked_ratio(self, aspect: tuple[int, int]) -> None:
        width, height = Mp4(aspect, 4, False, "", "", seed=1).size_px
        assert width % 2 == height % 2 == 0
        assert width * aspect[1] == height * aspect[0]


class TestSong:
    def test_it_is_an_mp3_of_eight_seconds_that_is_not_silent(self) -> None:
        with av.open(io.BytesIO(Song("a song", seed=1).render()), "r") as container:
            stream = container.streams.audio[0]
            assert stream.codec_context.name in {"mp3", "mp3float"}
            assert container.metadata["title"] == "a song"
            samples = b"".join(bytes(frame.planes[0]) for frame in container.decode(audio=0))
            assert stream.duration is not None
            assert stream.duration * (stream.time_base or 0) == 8
        assert len(set(samples)) > 100

    def test_another_seed_is_another_tune(self) -> None:
        assert Song("a song", seed=1).render() != Song("a song", seed=2).render()


class TestRendered:
    def test_equal_artifacts_are_made_once(self) -> None:
        first = rendered(Picture(64, 64, "once", "fal", seed=1))
        assert rendered(Picture(64, 64, "once", "fal", seed=1)) is first


class TestLettering:
    @given(st.text(max_size=600), st.integers(40, 400))
    def test_lines_stay_within_width_and_number(self, text: str, width_px: int) -> None:
        lines = wrap(text, font(16), width_px, max_lines=4)
        assert len(lines) <= 4
        assert all(font(16).getlength(line) <= width_px for line in lines if len(line) > 1)

    def test_a_cut_text_ends_in_an_ellipsis(self) -> None:
        assert wrap("word " * 100, font(16), 200, max_lines=2)[-1].endswith("…")


class TestImageSize:
    @pytest.mark.parametrize(
        ("ratio", "size"),
        [("1:1", (1024, 1024)), ("4:3", (1024, 768)), ("3:4", (768, 1024)), ("16:9", (1024, 576))],
    )
    def test_the_long_side_is_1024(self, ratio: str, size: tuple[int, int]) -> None:
        assert image_size_px(ratio) == size


class TestSeed:
    @given(st.text())
    def test_it_fits_into_31_bits(self, text: str) -> None:
        assert 0 <= seed_of(text) < 2**31
