"""Image sizes from headers: real images, and headers written by hand from the formats' standards."""

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.unit.probing.media_files import HEIGHT_PX, WIDTH_PX, picture
from tollgate.probing.images import MAX_SEGMENTS, NoImageError, ReadAt, is_implausible, pixel_size

STARTS = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "gif": b"GIF89a",
    "jpeg": b"\xff\xd8\xff\xc0\0\x11\x08",
    "webp": b"RIFF\0\0\0\0WEBPVP8 ",
}


def reading(data: bytes) -> ReadAt:
    return lambda offset, length: data[offset : offset + length]


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, 2 + len(body)) + body


def frame(marker: int, width: int, height: int) -> bytes:
    return segment(marker, struct.pack(">BHHB", 8, height, width, 3) + bytes(9))


class TestRealPictures:
    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(picture("PNG"), id="png"),
            pytest.param(picture("PNG", "RGBA"), id="png with alpha"),
            pytest.param(picture("GIF", "P"), id="gif"),
            pytest.param(picture("JPEG"), id="jpeg"),
            pytest.param(picture("JPEG", "L", progressive=True), id="progressive jpeg"),
            pytest.param(picture("JPEG", "CMYK"), id="jpeg for print"),
            pytest.param(picture("WEBP"), id="webp VP8"),
            pytest.param(picture("WEBP", lossless=True), id="webp VP8L"),
            pytest.param(picture("WEBP", "RGBA", exact=True), id="webp VP8X"),
        ],
    )
    def test_their_size(self, data: bytes) -> None:
        container = str(Image.open(io.BytesIO(data)).format).lower()
        assert pixel_size(container, reading(data)) == (WIDTH_PX, HEIGHT_PX)

    @pytest.mark.parametrize("name", ["PNG", "GIF", "JPEG", "WEBP"])
    def test_cut_off_anywhere_it_is_the_same_or_none(self, name: str) -> None:
        data = picture(name)
        for end in range(min(len(data), 700)):
            try:
                assert pixel_size(name.lower(), reading(data[:end])) == (WIDTH_PX, HEIGHT_PX)
            except NoImageError:
                continue

    @given(st.sampled_from(sorted(STARTS)), st.binary(max_size=300))
    def test_nonsense_is_a_size_or_a_refusal(self, container: str, rest: bytes) -> None:
        try:
            width, height = pixel_size(container, reading(STARTS[container] + rest))
        except NoImageError:
            return
        assert width > 0
        assert height > 0


class TestWebp:
    """RFC 9649: VP8X holds 24 bits a side less one, VP8L 14 bits less one, VP8 14 bits and 2 of scale."""

    @pytest.mark.parametrize(
        ("chunk", "size"),
        [
            (b"VP8X" + bytes(8) + b"\x3f\x01\0" + b"\xb3\0\0", (320, 180)),
            (b"VP8X" + bytes(8) + b"\xff\xff\xff" + b"\0\0\0", (2**24, 1)),
            (b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 319 | 179 << 14), (320, 180)),
            (b"VP8 " + bytes(7) + b"\x9d\x01\x2a" + struct.pack("<HH", 320 | 1 << 14, 180), (320, 180)),
        ],
    )
    def test_each_chunk(self, chunk: bytes, size: tuple[int, int]) -> None:
        assert pixel_size("webp", reading(b"RIFF\0\0\0\0WEBP" + chunk)) == size

    @pytest.mark.parametrize(
        "chunk", [b"VP8L" + bytes(9), b"VP8 " + bytes(20), b"ALPH" + bytes(20), b"VP8X" + bytes(9)]
    )
    def test_a_chunk_without_its_signature(self, chunk: bytes) -> None:
        with pytest.raises(NoImageError):
            pixel_size("webp", reading(b"RIFF\0\0\0\0WEBP" + chunk))


class TestJpeg:
    def test_the_frame_is_found_behind_a_large_exif_and_tables(self) -> None:
        data = b"\xff\xd8" + segment(0xE1, bytes(60_000)) + segment(0xC4, bytes(40)) + frame(0xC2, 320, 180)
        assert pixel_size("jpeg", reading(data)) == (320, 180)

    def test_fill_bytes_before_a_marker_are_skipped(self) -> None:
        data = b"\xff\xd8" + segment(0xE0, b"JFIF") + b"\xff\xff\xff" + frame(0xC0, 320, 180)
        assert pixel_size("jpeg", reading(data)) == (320, 180)

    @pytest.mark.parametrize("end", [b"\xff\xd9\0\0", b"\xff\xda\0\x08" + bytes(6)])
    def test_none_before_the_picture_is_none(self, end: bytes) -> None:
        with pytest.raises(NoImageError):
            pixel_size("jpeg", reading(b"\xff\xd8" + end + frame(0xC0, 320, 180)))

    @pytest.mark.parametrize(("segments", "found"), [(MAX_SEGMENTS - 1, True), (MAX_SEGMENTS, False)])
    def test_the_search_ends(self, segments: int, found: bool) -> None:
        data = b"\xff\xd8" + segment(0xEF, b"") * segments + frame(0xC0, 320, 180)
        if found:
            assert pixel_size("jpeg", reading(data)) == (320, 180)
        else:
            with pytest.raises(NoImageError):
                pixel_size("jpeg", reading(data))

    def test_a_height_that_comes_later_is_refused(self) -> None:
        with pytest.raises(NoImageError):
            pixel_size("jpeg", reading(b"\xff\xd8" + frame(0xC0, 320, 0)))


class TestAbsurd:
    @pytest.mark.parametrize(
        ("size", "absurd"),
        [
            ((65_535, 1), False),
            ((65_536, 1), True),
            ((1, 65_535), False),
            ((1, 65_536), True),
            ((16_384, 16_384), False),
            ((16_384, 16_385), True),
        ],
    )
    def test_both_sides_of_the_bounds(self, size: tuple[int, int], absurd: bool) -> None:
        assert is_implausible(*size) is absurd
