"""Real files over real HTTP: what they are, and what every kind of bad file or server is called."""

import struct
from collections.abc import Callable
from decimal import Decimal
from functools import partial

import pytest

from tests.unit.probing.media_files import (
    boxes,
    encoded_film,
    fragmented_mp4,
    mp4,
    picture,
    png_that_claims,
    rewrapped,
    scattered_fragments,
    song,
    synchsafe,
    uncompressed_film,
    webm,
)
from tests.unit.probing.media_server import (
    Answer,
    Connection,
    MediaServer,
    Sparse,
    endless,
    fixed,
    hang_up,
    ranged,
    sparse,
    until_closed,
    whole,
)
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError
from tollgate.probing.reader import MediaReader
from tollgate.probing.remote import HEADER_BOUNDS

Serve = Callable[[Sparse], Answer]

FIVE_GB = 5 * 1000**3
FEW_HUNDRED_KB = 400_000
IN_FLIGHT_MAX = 32 * 1024**2
"""What a server may have handed to the kernel before it learns that nobody reads on."""


def video(container: str, size: int, duration_s: str = "3") -> ProbedMedia:
    return ProbedMedia("video", container, Decimal(duration_s), 320, 180, size)


def audio(container: str, size: int, duration_s: str = "2") -> ProbedMedia:
    return ProbedMedia("audio", container, Decimal(duration_s), None, None, size)


def image(container: str, size: int) -> ProbedMedia:
    return ProbedMedia("image", container, None, 320, 180, size)


def refusal(found: ProbedMedia | ProbeError) -> tuple[ProbeCode, str]:
    assert isinstance(found, ProbeError)
    return found.code, found.message


def big_mp4(moov_first: bool) -> Sparse:
    """Return an MP4 of 5 GB: the video of `mp4` with a very long media box."""
    film = boxes(mp4())
    media_bytes = FIVE_GB - len(film["ftyp"]) - len(film["moov"])
    media = struct.pack(">I4sQ", 1, b"mdat", media_bytes) + film["mdat"][8:]
    if moov_first:
        return Sparse(FIVE_GB, {0: film["ftyp"] + film["moov"] + media})
    return Sparse(FIVE_GB, {0: film["ftyp"] + media, FIVE_GB - len(film["moov"]): film["moov"]})


class TestVideo:
    @pytest.mark.parametrize("serve", [ranged, whole, until_closed])
    def test_an_mp4_with_its_index_in_front(
        self, server: MediaServer, reader: MediaReader, serve: Serve
    ) -> None:
        assert boxes(mp4()).keys() == {"ftyp", "moov", "free", "mdat"}
        url = server.add("/film.mp4", serve(sparse(mp4())))
        assert reader.probe(url) == video("mp4", len(mp4()))

    @pytest.mark.parametrize("serve", [ranged, whole, until_closed])
    @pytest.mark.parametrize("container", ["mp4", "mov"])
    def test_one_with_its_index_at_the_end(
        self, server: MediaServer, reader: MediaReader, serve: Serve, container: str
    ) -> None:
        film = rewrapped(container)
        assert list(boxes(film))[-1] == "moov"
        assert reader.probe(server.add("/film", serve(sparse(film)))) == video(container, len(film))

    def test_a_fragmented_mp4_is_as_long_as_all_its_fragments(
        self, server: MediaServer, reader: MediaReader
    ) -> None:
        film = fragmented_mp4()
        found = reader.probe(server.add("/film.mp4", ranged(sparse(film))))
        # Fragments have no edit list, so the sound's first 1024 samples (at 16 kHz) count as well.
        assert found == video("mp4", len(film), "3.064")

    def test_a_webm(self, server: MediaServer, reader: MediaReader) -> None:
        assert reader.probe(server.add("/film.webm", ranged(sparse(webm())))) == video("webm", len(webm()))

    def test_a_webm_that_does_not_say_how_long_it_is(self, server: MediaServer, reader: MediaReader) -> None:
        found = reader.probe(server.add("/film.webm", ranged(sparse(webm(live="1")))))
        assert refusal(found) == (ProbeCode.NO_DURATION, "The video file does not contain its duration.")

    def test_a_picture_larger_than_all_that_we_read(self, server: MediaServer, reader: MediaReader) -> None:
        film = uncompressed_film(1280, 960)  # 1.8 MB an image
        found = reader.probe(server.add("/film.mov", ranged(sparse(film))))
        assert found == ProbedMedia("video", "mov", Decimal(1), 1280, 960, len(film))
        assert server.sent_bytes < FEW_HUNDRED_KB

    def test_a_format_that_only_a_decoder_can_measure(self, server: MediaServer, reader: MediaReader) -> None:
        film = encoded_film("mp4", "mpeg4")
        found = reader.probe(server.add("/film.mp4", ranged(sparse(film))))
        assert found == ProbedMedia("video", "mp4", Decimal(3), None, None, len(film))

    def test_what_it_is_called_does_not_count(self, server: MediaServer, reader: MediaReader) -> None:
        assert reader.probe(server.add("/film.txt", ranged(sparse(webm())))) == video("webm", len(webm()))


class TestAudio:
    @pytest.mark.parametrize(
        ("format_name", "container"),
        [("wav", "wav"), ("ipod", "m4a"), ("mp4", "m4a"), ("mp3", "mp3")],
    )
    def test_each_container(
        self, server: MediaServer, reader: MediaReader, format_name: str, container: str
    ) -> None:
        data = song(format_name)
        assert reader.probe(server.add("/song", ranged(sparse(data)))) == audio(container, len(data))

    def test_a_webm_of_sound_alone(self, server: MediaServer, reader: MediaReader) -> None:
        data = song("webm")
        # Opus begins with 6.5 ms that players skip.
        expected = audio("webm", len(data), "2.008")
        assert reader.probe(server.add("/song.webm", ranged(sparse(data)))) == expected

    def test_an_mp3_that_does_not_say_its_length(self, server: MediaServer, reader: MediaReader) -> None:
        data = song("mp3", write_xing="0")
        frames = data[data.index(b"\xff\xf3") :]  # MPEG-2 layer 3
        duration_s = Decimal(len(frames) * 8) / 24_000  # ffmpeg's rate for one channel of 16 kHz
        found = reader.probe(server.add("/song.mp3", ranged(sparse(data))))
        assert found == audio("mp3", len(data), str(duration_s))

    def test_a_cover_picture_is_not_fetched(self, server: MediaServer, reader: MediaReader) -> None:
        cover = b"\0image/jpeg\0\x03\0" + bytes(3_000_000)
        frame = b"APIC" + struct.pack(">IH", len(cover), 0) + cover
        data = b"ID3\x03\0\0" + synchsafe(len(frame)) + frame + song("mp3")
        assert reader.probe(server.add("/song.mp3", ranged(sparse(data)))) == audio("mp3", len(data))
        assert server.sent_bytes < FEW_HUNDRED_KB

    def test_a_wav_whose_writer_could_not_go_back(self, server: MediaServer, reader: MediaReader) -> None:
        data = bytearray(song("wav"))
        data[4:8] = b"\xff\xff\xff\xff"
        at = data.index(b"data") + 4
        data[at : at + 4] = b"\xff\xff\xff\xff"
        found = reader.probe(server.add("/song.wav", ranged(sparse(bytes(data)))))
        assert found == audio("wav", len(data))


class TestImage:
    @pytest.mark.parametrize("serve", [ranged, whole, until_closed])
    @pytest.mark.parametrize("format_name", ["PNG", "JPEG", "WEBP", "GIF"])
    def test_each_format(
        self, server: MediaServer, reader: MediaReader, format_name: str, serve: Serve
    ) -> None:
        data = picture(format_name)
        url = server.add("/picture", serve(sparse(data)))
        assert reader.probe(url) == image(format_name.lower(), len(data))

    @pytest.mark.parametrize(
        ("width", "height"), [(65_536, 1), (1, 65_536), (16_385, 16_384), (2**31 - 1, 2**31 - 1)]
    )
    def test_a_bomb_is_told_by_its_header(
        self, server: MediaServer, reader: MediaReader, width: int, height: int
    ) -> None:
        url = server.add("/bomb.png", ranged(sparse(png_that_claims(width, height))))
        message = f"The image has {width} × {height} pixels, which is too large."
        assert refusal(reader.probe(url)) == (ProbeCode.TOO_MANY_PIXELS, message)

    @pytest.mark.parametrize(("width", "height"), [(65_535, 1), (16_384, 16_384)])
    def test_a_very_large_picture_is_not_one(
        self, server: MediaServer, reader: MediaReader, width: int, height: int
    ) -> None:
        data = png_that_claims(width, height)
        found = reader.probe(server.add("/large.png", ranged(sparse(data))))
        assert found == ProbedMedia("image", "png", None, width, height, len(data))

    def test_one_without_pixels_cannot_be_read(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/none.png", ranged(sparse(png_that_claims(0, 180))))
        assert refusal(reader.probe(url))[0] is ProbeCode.UNREADABLE


class TestTraffic:
    @pytest.mark.parametrize("moov_first", [True, False])
    def test_5_gb_cost_a_few_hundred_kb(
        self, server: MediaServer, reader: MediaReader, moov_first: bool
    ) -> None:
        url = server.add("/large.mp4", ranged(big_mp4(moov_first)))
        assert reader.probe(url) == video("mp4", FIVE_GB)
        assert server.sent_bytes < FEW_HUNDRED_KB

    def test_a_server_without_ranges_is_left_when_the_index_is_read(
        self, server: MediaServer, reader: MediaReader
    ) -> None:
        url = server.add("/large.mp4", whole(big_mp4(moov_first=True)))
        assert reader.probe(url) == video("mp4", FIVE_GB)
        assert server.sent_bytes < IN_FLIGHT_MAX

    def test_a_server_without_ranges_cannot_show_the_end(
        self, server: MediaServer, reader: MediaReader
    ) -> None:
        url = server.add("/large.mp4", whole(big_mp4(moov_first=False)))
        assert refusal(reader.probe(url))[0] is ProbeCode.NO_RANGES
        assert server.sent_bytes < IN_FLIGHT_MAX

    def test_fragments_all_over_a_large_file_are_given_up(
        self, server: MediaServer, reader: MediaReader
    ) -> None:
        file = scattered_fragments(gap_bytes=1_000_000)
        message = "The file's header needs more than 1048576 bytes."
        expected = (ProbeCode.HEADER_TOO_LARGE, message)
        assert refusal(reader.probe(server.add("/large.mp4", ranged(file)))) == expected
        assert server.sent_bytes <= HEADER_BOUNDS.max_bytes
        assert len(server.requests) == 16

    def test_a_picture_costs_one_request(self, server: MediaServer, reader: MediaReader) -> None:
        file = Sparse(FIVE_GB, {0: picture("PNG")})
        assert reader.probe(server.add("/a.png", ranged(file))) == image("png", FIVE_GB)
        assert server.requests == [("/a.png", f"bytes=0-{HEADER_BOUNDS.block_bytes - 1}")]


class TestBadFiles:
    @pytest.mark.parametrize(
        ("data", "what"),
        [
            (b"just some text, named .mp4\n" * 40, "not media"),
            (b"#EXTM3U\n#EXT-X-TARGETDURATION:9\nhttp://169.254.169.254/latest\n", "not media"),
            (b"ffconcat version 1.0\nfile /etc/passwd\n", "not media"),
            (b"\n<!DOCTYPE html><html><body>Sign in</body></html>", "a web page"),
            (b"\x00" * 200, "not media"),
            (b"\xff", "not media"),
        ],
    )
    def test_what_is_not_media(
        self, server: MediaServer, reader: MediaReader, data: bytes, what: str
    ) -> None:
        url = server.add("/film.mp4", ranged(sparse(data)))
        kinds = "png, jpeg, webp, gif, mp4, mov, webm, mp3, wav, m4a, pdf, docx, pptx, xlsx"
        message = f"The file is {what}. It must be {kinds}; its name does not matter."
        assert refusal(reader.probe(url)) == (ProbeCode.UNSUPPORTED, message)

    def test_an_archive_that_is_no_office_document(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/film.mp4", ranged(sparse(b"PK\x03\x04" + bytes(200))))
        code, message = refusal(reader.probe(url))
        assert code == ProbeCode.UNREADABLE
        assert message.endswith("document.")

    def test_media_of_a_type_that_is_not_taken(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/song.flac", ranged(sparse(song("flac"))))
        code, message = refusal(reader.probe(url))
        assert code is ProbeCode.UNSUPPORTED
        assert message.startswith("The file is of an unsupported type. It must be ")

    def test_matroska_is_not_webm(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/film.mkv", ranged(sparse(rewrapped("matroska"))))
        assert refusal(reader.probe(url))[0] is ProbeCode.UNSUPPORTED

    @pytest.mark.parametrize("serve", [ranged, whole, until_closed])
    def test_an_empty_file(self, server: MediaServer, reader: MediaReader, serve: Serve) -> None:
        url = server.add("/film.mp4", serve(sparse(b"")))
        assert refusal(reader.probe(url)) == (ProbeCode.EMPTY, "The file is empty.")

    @pytest.mark.parametrize("serve", [ranged, whole, until_closed])
    @pytest.mark.parametrize(
        "file",
        [
            mp4,
            partial(rewrapped, "mp4"),
            partial(rewrapped, "mov"),
            webm,
            partial(song, "wav"),
            partial(picture, "WEBP"),
        ],
        ids=["mp4, index first", "mp4, index last", "mov", "webm", "wav", "webp"],
    )
    def test_a_file_that_was_cut_off(
        self, server: MediaServer, reader: MediaReader, serve: Serve, file: Callable[[], bytes]
    ) -> None:
        data = file()
        url = server.add("/half", serve(sparse(data[: len(data) // 2])))
        code, message = refusal(reader.probe(url))
        assert code is ProbeCode.TRUNCATED
        assert message.startswith(f"The file is cut off: it has {len(data) // 2} bytes instead of at least ")

    @pytest.mark.parametrize("format_name", ["PNG", "JPEG", "GIF"])
    def test_a_picture_cut_off_in_its_header(
        self, server: MediaServer, reader: MediaReader, format_name: str
    ) -> None:
        url = server.add("/half", ranged(sparse(picture(format_name)[:8])))
        name = format_name.lower()
        message = f"The file looks like a {name} file but cannot be read."
        assert refusal(reader.probe(url)) == (ProbeCode.UNREADABLE, message)

    def test_a_good_beginning_and_then_nonsense(self, server: MediaServer, reader: MediaReader) -> None:
        for data in (mp4()[:32], b"RIFF\0\0\0\0WAVE" + bytes(60), b"ID3" + bytes(100)):
            url = server.add("/film.mp4", ranged(sparse(data)))
            assert refusal(reader.probe(url))[0] is ProbeCode.UNREADABLE, data[:12]


class TestBadServers:
    @pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 500, 503])
    def test_a_status_that_is_not_the_file(
        self, server: MediaServer, reader: MediaReader, status: int
    ) -> None:
        url = server.add("/gone", fixed(status, body=b"<html>no</html>"))
        assert refusal(reader.probe(url)) == (ProbeCode.REFUSED, f"The URL returned HTTP {status}.")

    @pytest.mark.parametrize("encoding", ["gzip", "br", "deflate"])
    def test_a_compressed_body_is_not_unpacked(
        self, server: MediaServer, reader: MediaReader, encoding: str
    ) -> None:
        bomb = endless(200, {"content-encoding": encoding})
        assert refusal(reader.probe(server.add("/bomb", bomb)))[0] is ProbeCode.COMPRESSED

    def test_we_ask_for_bytes_as_they_are(self, server: MediaServer, reader: MediaReader) -> None:
        requested = []

        def answer(connection: Connection) -> None:
            requested.append(connection.headers.get("accept-encoding"))
            ranged(sparse(mp4()))(connection)

        reader.probe(server.add("/film.mp4", answer))
        assert set(requested) == {"identity"}

    def test_an_endless_body_without_a_length(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/endless", endless(200, {}))
        assert refusal(reader.probe(url))[0] is ProbeCode.NO_RANGES

    def test_an_endless_body_as_a_part(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add(
            "/endless", endless(206, {"content-range": f"bytes 0-{HEADER_BOUNDS.block_bytes - 1}/{FIVE_GB}"})
        )
        message = "The server's responses to range requests are inconsistent."
        assert refusal(reader.probe(url)) == (ProbeCode.BAD_RANGE, message)

    def test_a_length_that_is_too_large(self, server: MediaServer, reader: MediaReader) -> None:
        film = rewrapped("mp4")
        url = server.add("/film.mp4", whole(sparse(film), declared_bytes=len(film) + 1))
        found = reader.probe(url)
        assert refusal(found) == (
            ProbeCode.UNREACHABLE,
            "The server cannot be reached, or closed the connection.",
        )

    def test_a_length_that_is_too_small(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/film.mp4", whole(sparse(mp4()), declared_bytes=5000))
        assert refusal(reader.probe(url))[0] is ProbeCode.TRUNCATED

    @pytest.mark.parametrize(
        "content_range",
        [
            "bytes 1-9/10",
            "bytes 0-9/11",
            "bytes 0-9/*",
            "bytes 0-9/9",
            "bytes */10",
            "items 0-9/10",
            "bytes 9-0/10",
            "bytes 0-9/1e9",
            f"bytes 0-9/{'9' * 5000}",
            "",
        ],
    )
    def test_a_part_that_was_not_asked_for(
        self, server: MediaServer, reader: MediaReader, content_range: str
    ) -> None:
        url = server.add("/film.mp4", fixed(206, {"content-range": content_range}, mp4()[:10]))
        assert refusal(reader.probe(url))[0] is ProbeCode.BAD_RANGE

    def test_a_part_that_is_shorter_than_it_says(self, server: MediaServer, reader: MediaReader) -> None:
        said = {"content-range": f"bytes 0-{HEADER_BOUNDS.block_bytes - 1}/{FIVE_GB}"}
        url = server.add("/film.mp4", fixed(206, said, mp4()[:1000]))
        assert refusal(reader.probe(url))[0] is ProbeCode.BAD_RANGE

    def test_a_file_that_changes_between_two_requests(self, server: MediaServer, reader: MediaReader) -> None:
        film = big_mp4(moov_first=False)
        sizes = iter([FIVE_GB, FIVE_GB + 1])

        def answer(connection: Connection) -> None:
            ranged(Sparse(next(sizes), film.parts))(connection)

        assert refusal(reader.probe(server.add("/film.mp4", answer)))[0] is ProbeCode.BAD_RANGE
        assert len(server.requests) == 2

    def test_a_server_that_hangs_up(self, server: MediaServer, reader: MediaReader) -> None:
        assert refusal(reader.probe(server.add("/film.mp4", hang_up)))[0] is ProbeCode.UNREACHABLE

    def test_a_port_where_nobody_listens(self, reader: MediaReader) -> None:
        assert refusal(reader.probe("http://127.0.0.1:1/film.mp4"))[0] is ProbeCode.UNREACHABLE
