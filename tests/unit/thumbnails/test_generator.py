"""One stored result, from its URL to its thumbnail: real HTTP, and the process that decodes, kept in."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.probing.media_files import busy_mp4, mp4, picture, song
from tests.unit.probing.media_server import MediaServer, Sparse, drip, fixed, media_server, ranged, sparse
from tests.unit.probing.test_probe_tracks import Memory, child_folder
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.facts import ProbeCode, ProbeError
from tollgate.probing.tracks import ParserFaultError, run_parser
from tollgate.thumbnails import generator as generator_module
from tollgate.thumbnails.generator import BOUNDS, ThumbnailGenerator
from tollgate.thumbnails.renderer import LIMITS
from tollgate.thumbnails.response import NoThumbnail, Thumbnail, read_result

RENDERER = "tollgate.thumbnails.renderer"
MB = 1024 * 1024


@pytest.fixture
def server() -> Iterator[MediaServer]:
    with media_server() as running:
        yield running


@pytest.fixture
def generator() -> ThumbnailGenerator:
    return ThumbnailGenerator(Outbound(AddressGuard(allow_loopback=True)))


class TestDraw:
    @pytest.mark.parametrize(
        ("made", "size_px"),
        [
            (partial(picture, "AVIF"), (320, 180)),
            (partial(picture, "GIF"), (320, 180)),
            (mp4, (320, 180)),
            (partial(song, "mp3"), (512, 128)),
        ],
        ids=["image", "palette", "video", "sound"],
    )
    def test_each_kind(
        self,
        server: MediaServer,
        generator: ThumbnailGenerator,
        made: Callable[[], bytes],
        size_px: tuple[int, int],
    ) -> None:
        found = generator.generate(server.add("/a", ranged(sparse(made()))))
        assert isinstance(found, Thumbnail)
        with Image.open(io.BytesIO(found.data)) as image:
            assert (image.format, image.size) == ("WEBP", size_px)

    def test_the_end_of_a_long_video_is_not_read(
        self, server: MediaServer, generator: ThumbnailGenerator
    ) -> None:
        film = mp4()
        # ffmpeg finds the index and the first frames in front: nothing of the gigabyte behind is needed
        long = Sparse(1024 * MB, {0: film})
        found = generator.generate(server.add("/a.mp4", ranged(long)))
        assert isinstance(found, Thumbnail)
        assert server.sent_bytes < 8 * MB

    def test_a_file_that_has_to_be_read_whole_and_is_too_large(
        self, server: MediaServer, generator: ThumbnailGenerator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(generator_module, "BOUNDS", type(BOUNDS)(block_bytes=64 * 1024, max_blocks=2))
        noise = Image.effect_noise((600, 600), 90)
        data = io.BytesIO()
        noise.save(data, "PNG")
        found = generator.generate(server.add("/a.png", ranged(sparse(data.getvalue()))))
        assert found == NoThumbnail("header_too_large")

    def test_what_is_no_media(self, server: MediaServer, generator: ThumbnailGenerator) -> None:
        assert generator.generate(server.add("/a", ranged(sparse(b"<html>" * 50)))) == NoThumbnail("type")

    def test_a_decoder_that_is_kept_busy_is_ended(self, server: MediaServer) -> None:
        generator = ThumbnailGenerator(Outbound(AddressGuard(allow_loopback=True)), timeout_s=1.0)
        assert generator.generate(server.add("/a.mp4", ranged(sparse(busy_mp4())))) == NoThumbnail("too_slow")

    def test_a_server_that_drips(self, server: MediaServer) -> None:
        generator = ThumbnailGenerator(Outbound(AddressGuard(allow_loopback=True)), timeout_s=0.5)
        assert generator.generate(server.add("/a", drip(sparse(mp4()), 0.2))) == NoThumbnail("too_slow")

    @pytest.mark.parametrize(("answer", "code"), [(403, ProbeCode.REFUSED), (503, ProbeCode.REFUSED)])
    def test_one_that_cannot_be_reached_now_comes_again(
        self, server: MediaServer, generator: ThumbnailGenerator, answer: int, code: ProbeCode
    ) -> None:
        with pytest.raises(ProbeError) as raised:
            generator.generate(server.add("/a", fixed(answer)))
        assert raised.value.code is code

    def test_a_process_that_does_not_start_is_a_fault_of_ours(
        self, server: MediaServer, generator: ThumbnailGenerator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(generator_module, "_RENDERER", "tollgate.thumbnails.nothing")
        with pytest.raises(ParserFaultError):
            generator.generate(server.add("/a", ranged(sparse(picture("PNG")))))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
class TestConfinement:
    def test_it_can_open_nothing_knows_nothing_and_has_its_bounds(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
        seen: list[tuple[str, str]] = []

        def look(_: int) -> None:
            folder = child_folder()
            seen.append(((folder / "limits").read_text(), (folder / "environ").read_text()))

        run_parser(RENDERER, "png", Memory(picture("PNG"), look), 20, 60_000)
        limits = {line[:26].strip(): line[26:].split()[:2] for line in seen[0][0].splitlines()}
        assert limits["Max open files"] == ["0", "0"]
        assert limits["Max data size"] == [str(LIMITS.memory_bytes)] * 2
        assert limits["Max cpu time"] == [str(LIMITS.cpu_s)] * 2
        assert "AWS" not in seen[0][1]

    def test_the_largest_image_that_a_model_makes_fits_into_its_memory(self) -> None:
        huge = io.BytesIO()
        Image.new("RGBA", (8192, 8192)).save(huge, "PNG", compress_level=1)
        assert set(run_parser(RENDERER, "png", Memory(huge.getvalue()), 60, 60_000)) == {"image"}


class TestAnswers:
    @pytest.mark.parametrize("answer", [Thumbnail(b"RIFF\0\0\0\0WEBPVP8 "), NoThumbnail("pixels")])
    def test_both_go_through_json(self, answer: Thumbnail | NoThumbnail) -> None:
        assert read_result(answer.body()) == answer

    @pytest.mark.parametrize("data", [b"<svg onload=alert(1)>", b"", b"RIFF\0\0\0\0WEBP" + bytes(40_000)])
    def test_nothing_but_a_small_webp_is_taken(self, data: bytes) -> None:
        with pytest.raises(ValueError, match="no thumbnail"):
            read_result(Thumbnail(data).body())
