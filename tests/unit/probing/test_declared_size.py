"""How long a file says it is, by headers written by hand."""

import struct
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.probing.media_files import mp4, picture, rewrapped, song, webm
from tollgate.probing.declared_size import MAX_BOXES, declared_bytes

CONTAINERS = ["mp4", "mov", "m4a", "webm", "wav", "webp", "mp3", "png", "jpeg", "gif"]
FTYP = struct.pack(">I4s8x", 16, b"ftyp")


def said(container: str, data: bytes) -> int | None:
    return declared_bytes(container, lambda offset, length: data[offset : offset + length])


def box(kind: bytes, size: int) -> bytes:
    return struct.pack(">I4s", size, kind)


class TestRealFiles:
    # Made in the tests: as parameters they would be the cases' names, another one in each worker.
    @pytest.mark.parametrize(
        ("container", "make"),
        [
            ("mov", partial(rewrapped, "mov")),
            ("mp4", partial(rewrapped, "mp4")),
            ("mp4", mp4),
            ("webm", webm),
        ],
    )
    def test_a_film_says_exactly_its_length(self, container: str, make: Callable[[], bytes]) -> None:
        data = make()
        assert said(container, data) == len(data)

    @pytest.mark.parametrize(
        ("container", "make"), [("wav", partial(song, "wav")), ("webp", partial(picture, "WEBP"))]
    )
    def test_a_riff_may_lack_its_last_byte(self, container: str, make: Callable[[], bytes]) -> None:
        data = make()
        assert said(container, data) == len(data) - 1

    @given(st.sampled_from(CONTAINERS), st.binary(max_size=200))
    def test_nonsense_says_something_or_nothing(self, container: str, data: bytes) -> None:
        found = said(container, data)
        assert found is None or found >= 0


class TestBoxes:
    def test_index_and_media_are_all_that_is_followed(self) -> None:
        data = FTYP + box(b"moov", 8) + box(b"mdat", 1000)
        assert said("mp4", data) == 16 + 8 + 1000

    def test_a_media_box_of_64_bits(self) -> None:
        data = FTYP + box(b"moov", 8) + struct.pack(">I4sQ", 1, b"mdat", 5 * 10**9)
        assert said("mp4", data) == 24 + 5 * 10**9

    @pytest.mark.parametrize("last", [box(b"mdat", 0), box(b"mdat", 7), box(b"\0\0\0\0", 99), b"\0\0\0"])
    def test_what_has_no_end_or_is_no_box_ends_the_walk(self, last: bytes) -> None:
        assert said("mp4", FTYP + box(b"moov", 8) + last) == 24

    def test_the_walk_is_bounded(self) -> None:
        assert said("mp4", box(b"free", 8) * (MAX_BOXES + 1)) == MAX_BOXES * 8


class TestRiff:
    @pytest.mark.parametrize(
        ("size", "expected"), [(0, None), (0xFFFFFFFF, None), (100, 107), (0xFFFFFFFE, 0xFFFFFFFE + 7)]
    )
    def test_the_size_in_the_header(self, size: int, expected: int | None) -> None:
        assert said("wav", struct.pack("<4sI4s", b"RIFF", size, b"WAVE")) == expected


class TestWebm:
    HEAD = b"\x1a\x45\xdf\xa3\x84webm"

    @pytest.mark.parametrize(
        ("segment", "expected"),
        [
            (b"\x18\x53\x80\x67\x81", 9 + 4 + 1 + 1),
            (b"\x18\x53\x80\x67\x01\0\0\0\0\0\x01\0", 9 + 4 + 8 + 256),
            (b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff", None),  # unknown: a live stream
            (b"\x18\x53\x80\x67\xff", None),
            (b"\x18\x53\x80\x67\0", None),
            (b"\x1f\x43\xb6\x75\x81", None),
            (b"", None),
        ],
    )
    def test_the_size_of_the_segment(self, segment: bytes, expected: int | None) -> None:
        assert said("webm", self.HEAD + segment) == expected
