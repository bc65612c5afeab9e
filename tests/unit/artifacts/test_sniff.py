"""What a file is, told by its bytes: real files of each kind, and files that only say they are one."""

import io

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.simulator.files import LIE
from local.simulator.media.glb import Glb
from local.simulator.media.mp4 import Mp4
from local.simulator.media.picture import Picture
from local.simulator.media.sound import Song
from tests.support.encoded import picture, sound, video
from tollgate.artifacts.sniff import HEAD_BYTES, MediaType, media_type


def ftyp(brand: str) -> bytes:
    """Return how a file of a brand of ISO/IEC 14496-12 begins."""
    return b"\x00\x00\x00\x18ftyp" + brand.encode() + b"\x00\x00\x00\x00" + brand.encode() + b"mif1"


class TestRealFiles:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("PNG", MediaType("image", "image/png", "png")),
            ("JPEG", MediaType("image", "image/jpeg", "jpg")),
            ("GIF", MediaType("image", "image/gif", "gif")),
            ("WEBP", MediaType("image", "image/webp", "webp")),
            ("AVIF", MediaType("image", "image/avif", "avif")),
        ],
    )
    def test_images(self, name: str, expected: MediaType) -> None:
        assert media_type(picture(name)) == expected

    @pytest.mark.parametrize(
        ("container", "expected"),
        [
            ("mp4", MediaType("video", "video/mp4", "mp4")),
            ("mov", MediaType("video", "video/quicktime", "mov")),
        ],
    )
    def test_videos(self, container: str, expected: MediaType) -> None:
        assert media_type(video(container)) == expected

    def test_a_3d_object(self) -> None:
        file = Glb("a cube", "a test", 1).render()
        assert media_type(file) == MediaType("3d", "model/gltf-binary", "glb")
        # Version 1 has other parts.
        assert media_type(b"glTF\x01" + file[5:]) is None

    def test_webm(self) -> None:
        file = sound("webm", "libopus", "s16")
        assert media_type(file) == MediaType("video", "video/webm", "webm")

    @pytest.mark.parametrize(
        ("container", "codec", "sample_format", "expected"),
        [
            ("mp3", "libmp3lame", "s16p", MediaType("audio", "audio/mpeg", "mp3")),
            ("wav", "pcm_s16le", "s16", MediaType("audio", "audio/wav", "wav")),
            ("flac", "flac", "s16", MediaType("audio", "audio/flac", "flac")),
            ("ogg", "flac", "s16", MediaType("audio", "audio/ogg", "ogg")),
            ("ipod", "aac", "fltp", MediaType("audio", "audio/mp4", "m4a")),
        ],
    )
    def test_sounds(self, container: str, codec: str, sample_format: str, expected: MediaType) -> None:
        assert media_type(sound(container, codec, sample_format)) == expected

    def test_an_mp3_without_tags(self) -> None:
        file = Song("a song", seed=1).render()
        with av.open(io.BytesIO(file), "r") as container:
            first = next(container.demux(audio=0))
        assert media_type(bytes(first)) == MediaType("audio", "audio/mpeg", "mp3")

    def test_the_simulators_own(self) -> None:
        found = [
            media_type(made.render())
            for made in (
                Picture(64, 64, "a fox", "test", seed=1),
                Mp4((16, 9), 1, True, "a fox", "test", seed=1),
                Song("a song", seed=1),
            )
        ]
        assert [one and one.extension for one in found] == ["png", "mp4", "mp3"]

    @pytest.mark.parametrize("name", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
    def test_the_first_bytes_are_enough(self, name: str) -> None:
        assert media_type(picture(name)[:HEAD_BYTES]) == media_type(picture(name))


class TestMp4Brands:
    @pytest.mark.parametrize(
        "brand", ["isom", "iso2", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash", "MSNV"]
    )
    def test_brands_that_video_encoders_write(self, brand: str) -> None:
        found = media_type(ftyp(brand))
        assert found is not None
        assert found.content_type == "video/mp4"

    @pytest.mark.parametrize("brand", ["heic", "heix", "heim", "hevc", "mif1", "msf1", "jp2 ", "crx "])
    def test_images_in_the_same_box_are_no_videos(self, brand: str) -> None:
        assert media_type(ftyp(brand)) is None


class TestEverythingElse:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\x00",
            b"\xff",
            LIE,
            b"<!doctype html><video src=x>",
            b"  <html>",
            b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
            b'{"error": "not found"}',
            b"ftyp: a text that was named film.mp4",
            b"just words",
            b"%PDF-1.7",
            b"PK\x03\x04",
            b"MZ\x90\x00",
            b"\x7fELF",
            b"\x1f\x8b\x08",
            b"BM" + b"\x00" * 60,
            b"RIFF\x00\x00\x00\x00AVI LIST",
            b"RIFF",
            b"\x00\x00\x00\x18ftyp",
            b"\x00\x00\x00\x18ftypwhat is this",
            b"\x89PNG",
            b"\xff\xfeh\x00t\x00m\x00l\x00",
            b"\xff\xf1" + b"\x00" * 60,
            b"\xef\xbb\xbf<html>",
        ],
    )
    def test_it_is_no_media_of_ours(self, content: bytes) -> None:
        assert media_type(content) is None

    @given(st.text(max_size=80).filter(lambda text: not text.startswith(("ID3", "GIF8", "fLaC", "OggS"))))
    def test_no_text_is_media(self, text: str) -> None:
        assert media_type(text.encode("utf-8", "replace")) is None

    @given(st.binary(max_size=80))
    def test_any_bytes_can_be_asked_about(self, content: bytes) -> None:
        assert media_type(content) is None or len(content) > 1
