"""ffmpeg as a reader of headers: it follows nothing, and whatever it is fed it ends in an answer."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.unit.probing.media_files import mp4, mp4_that_claims, rewrapped, song, webm
from tollgate.probing.demuxer import NothingReadableError, SeekableFile, demux

FILES: dict[str, Callable[[], bytes]] = {
    "mp4": mp4,
    "mov": partial(rewrapped, "mov"),
    "m4a": partial(song, "ipod"),
    "webm": webm,
    "mp3": partial(song, "mp3"),
    "wav": partial(song, "wav"),
}
FILM = {"kind": "video", "duration_ms": 3000, "width": 320, "height": 180}
SONG = {"kind": "audio", "duration_ms": 2000, "width": None, "height": None}


def in_memory(data: bytes) -> SeekableFile:
    return SeekableFile(len(data), lambda offset, length: data[offset : offset + length])


class TestDemux:
    @pytest.mark.parametrize("container", ["mp4", "mov", "webm"])
    def test_a_film(self, container: str) -> None:
        assert demux(container, in_memory(FILES[container]())) == FILM

    @pytest.mark.parametrize("container", ["m4a", "mp3", "wav"])
    def test_a_song(self, container: str) -> None:
        assert demux(container, in_memory(FILES[container]())) == SONG

    def test_tags_that_are_not_utf_8_do_not_matter(self) -> None:
        old_tag = b"TAG" + "Über".encode("latin-1").ljust(125, b"\0")
        assert demux("mp3", in_memory(song("mp3", id3v2_version="0") + old_tag)) == SONG

    def test_tracks_of_other_kinds_do_not_matter(self) -> None:
        data = mp4_that_claims(3000, b"tmcd", b"sbtl", b"meta", b"vide", b"soun")
        assert demux("mp4", in_memory(data)) == FILM

    def test_what_holds_neither_film_nor_sound(self) -> None:
        with pytest.raises(NothingReadableError):
            demux("mp4", in_memory(mp4_that_claims(3000, b"sbtl")))

    @pytest.mark.parametrize("container", sorted(FILES))
    @pytest.mark.parametrize(
        "data",
        [
            b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n",
            b"ffconcat version 1.0\nfile /etc/passwd\n",
            b"",
        ],
        ids=["playlist", "list of files", "nothing"],
    )
    def test_nothing_that_names_other_files_is_opened(self, container: str, data: bytes) -> None:
        with pytest.raises(NothingReadableError):
            demux(container, in_memory(data))

    # The same examples each time: there are a few in a million that take a minute.
    @settings(
        max_examples=examples(150),
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(
        st.sampled_from(sorted(FILES)),
        st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 255)), max_size=20),
        st.integers(0, 200_000),
    )
    def test_a_damaged_file_gives_tracks_or_a_refusal(
        self, container: str, changes: list[tuple[int, int]], length: int
    ) -> None:
        data = bytearray(FILES[container]()[:length])
        for offset, value in changes:
            if offset < len(data):
                data[offset] = value
        try:
            found = demux(container, in_memory(bytes(data)))
        except NothingReadableError:
            return
        assert found["kind"] in {"video", "audio"}
        assert found["duration_ms"] is None or found["duration_ms"] > 0


class TestSeekableFile:
    def test_it_moves_as_io_does(self) -> None:
        file = in_memory(b"0123456789")
        assert file.seek(4) == 4
        assert file.read(2) == b"45"
        assert file.seek(-1, 1) == 5
        assert file.seek(-3, 2) == file.tell() == 7
        assert file.read(9) == b"789"
        assert file.read(9) == b""
        assert file.seek(-99, 1) == 0

    def test_what_is_too_large_for_a_header_is_not_read(self) -> None:
        requested = []

        def read_at(offset: int, length: int) -> bytes:
            requested.append((offset, length))
            return b"x" * length

        file = SeekableFile(100_000, read_at)
        assert file.read(32_768) == b"x" * 32_768
        assert file.read(32_769) == bytes(32_769)
        assert file.tell() == 65_537
        assert requested == [(0, 32_768)]
