"""What is painted of real files: decoded again by the other library than the one that painted it."""

import io
import os
from fractions import Fraction
from functools import cache

import av
import pytest
from av.audio.stream import AudioStream
from av.video.stream import VideoStream
from PIL import Image

from tests.unit.probing.media_files import encoded_film, mp4, picture, png_that_claims, rewrapped, song
from tollgate.thumbnails import frames, images, waveform
from tollgate.thumbnails.images import NotDecodableError
from tollgate.thumbnails.renderer import render
from tollgate.thumbnails.response import MAX_BYTES

RED, BLUE = (220, 30, 30), (30, 30, 220)
NEAR = 25
RATE_HZ = 48_000


def halves(
    size_px: tuple[int, int] = (640, 400), left: tuple[int, ...] = RED, right: tuple[int, ...] = BLUE
) -> Image.Image:
    """Return an image that is red on its left half and blue on its right."""
    image = Image.new("RGB", size_px, right)
    image.paste(left, (0, 0, size_px[0] // 2, size_px[1]))
    return image


def encoded(image: Image.Image, format_name: str, **options: object) -> bytes:
    found = io.BytesIO()
    image.save(found, format_name, **options)
    return found.getvalue()


def painted(extension: str, data: bytes) -> Image.Image:
    """Return the thumbnail of a file, decoded by ffmpeg."""
    thumbnail = render(extension, io.BytesIO(data))
    assert len(thumbnail) <= MAX_BYTES
    with av.open(io.BytesIO(thumbnail), "r") as open_container:
        (stream,) = open_container.streams.video
        assert stream.codec_context.name == "webp"
        frame = next(open_container.decode(stream))
        mode, name = ("RGBA", "rgba") if "a" in frame.format.name else ("RGB", "rgb24")
        (plane,) = frame.reformat(format=name).planes
    size_px = (frame.width, frame.height)
    return Image.frombytes(mode, size_px, bytes(plane), "raw", mode, plane.line_size)


def is_near(pixel: object, wanted: tuple[int, ...]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(one - other) <= NEAR for one, other in zip(pixel, wanted, strict=False))


def sides(image: Image.Image) -> tuple[object, object]:
    """Return a pixel of the left half, and one of the right."""
    middle = image.height // 2
    return image.getpixel((image.width // 4, middle)), image.getpixel((image.width * 3 // 4, middle))


class TestImages:
    @pytest.mark.parametrize(("extension", "format_name"), images.FORMATS.items())
    def test_each_format(self, extension: str, format_name: str) -> None:
        image = painted(extension, encoded(halves(), format_name))
        assert image.size == (512, 320)
        left, right = sides(image)
        assert is_near(left, RED)
        assert is_near(right, BLUE)

    @pytest.mark.parametrize(
        ("mode", "extension", "format_name"),
        [("CMYK", "jpg", "JPEG"), ("P", "png", "PNG"), ("RGBA", "webp", "WEBP")],
    )
    def test_each_mode(self, mode: str, extension: str, format_name: str) -> None:
        left, right = sides(painted(extension, encoded(halves().convert(mode), format_name)))
        assert is_near(left, RED)
        assert is_near(right, BLUE)

    @pytest.mark.parametrize(
        ("mode", "value", "grey"), [("L", 155, 155), ("1", 1, 255), ("I;16", 40_000, 155)]
    )
    def test_greys(self, mode: str, value: int, grey: int) -> None:
        image = painted("png", encoded(Image.new(mode, (64, 64), value), "PNG"))
        assert is_near(image.getpixel((32, 32)), (grey, grey, grey))

    def test_what_can_be_seen_through_still_can(self) -> None:
        image = halves().convert("RGBA")
        image.paste((0, 0, 0, 0), (0, 0, 320, 400))
        left, right = sides(painted("png", encoded(image, "PNG")))
        assert isinstance(left, tuple)
        assert left[3] == 0
        assert right == pytest.approx((*BLUE, 255), abs=NEAR)

    @pytest.mark.parametrize(("extension", "format_name"), [("gif", "GIF"), ("webp", "WEBP"), ("png", "PNG")])
    def test_of_an_animation_the_first(self, extension: str, format_name: str) -> None:
        others = [Image.new("RGB", (640, 400), "green"), Image.new("RGB", (640, 400), "white")]
        data = encoded(halves(), format_name, save_all=True, append_images=others)
        left, right = sides(painted(extension, data))
        assert is_near(left, RED)
        assert is_near(right, BLUE)

    def test_one_that_lies_on_its_side_is_set_upright(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6  # turn by 90 degrees clockwise: what was left is on top
        image = painted("jpg", encoded(halves(), "JPEG", exif=exif))
        assert image.size == (320, 512)
        assert is_near(image.getpixel((160, 50)), RED)
        assert is_near(image.getpixel((160, 460)), BLUE)

    @pytest.mark.parametrize(
        ("size_px", "small_px"), [((1, 1), (1, 1)), ((300, 200), (300, 200)), ((9000, 9), (512, 1))]
    )
    def test_it_is_never_larger_and_never_nothing(
        self, size_px: tuple[int, int], small_px: tuple[int, int]
    ) -> None:
        assert painted("png", encoded(Image.new("RGB", size_px, "red"), "PNG")).size == small_px

    @pytest.mark.parametrize("mode", ["RGB", "RGBA"])
    def test_noise_stays_within_its_bytes(self, mode: str) -> None:
        image = Image.frombytes(mode, (600, 600), os.urandom(600 * 600 * len(mode)))
        assert painted("png", encoded(image, "PNG")).width >= 64

    @pytest.mark.parametrize("size_px", [(20_000, 20_000), (0, 100)])
    def test_one_that_says_it_is_huge_or_nothing(self, size_px: tuple[int, int]) -> None:
        with pytest.raises(NotDecodableError):
            render("png", io.BytesIO(png_that_claims(*size_px)))

    @pytest.mark.parametrize(("extension", "format_name"), images.FORMATS.items())
    def test_one_that_is_cut_off(self, extension: str, format_name: str) -> None:
        noise = Image.frombytes("RGB", (300, 300), os.urandom(270_000))
        data = encoded(noise, format_name)
        with pytest.raises(NotDecodableError):
            render(extension, io.BytesIO(data[: len(data) // 3]))

    def test_one_format_is_not_read_as_another(self) -> None:
        with pytest.raises(NotDecodableError):
            render("png", io.BytesIO(picture("JPEG")))


def film(*levels: int, codec: str = "libx264") -> bytes:
    """Return a video of frames that are grey, each of so much light, but for a line where it is above 0."""
    found = io.BytesIO()
    with av.open(found, "w", format="mp4") as target:
        stream = target.add_stream(codec, rate=24)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for number, level in enumerate(levels):
            image = Image.new("RGB", (320, 180), (level, level, level))
            if level:
                image.paste((255, 255, 255), (0, 0, 160, 180))
            frame: av.VideoFrame = av.VideoFrame.from_image(image)  # type: ignore[no-untyped-call]
            frame.pts, frame.time_base = number, Fraction(1, 24)
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return found.getvalue()


class TestVideos:
    @pytest.mark.parametrize(
        ("extension", "format_name", "codec"),
        [
            ("mp4", "mp4", "libx264"),
            ("mp4", "mp4", "mpeg4"),
            ("mov", "mov", "libx264"),
            ("webm", "webm", "libvpx"),
            ("webm", "webm", "libvpx-vp9"),
            ("mp4", "mp4", "libsvtav1"),
        ],
    )
    def test_each_codec(self, extension: str, format_name: str, codec: str) -> None:
        assert painted(extension, encoded_film(format_name, codec, frames=4)).size == (320, 180)

    def test_where_the_index_is_does_not_matter(self) -> None:
        assert painted("mp4", mp4()).size == painted("mp4", rewrapped("mp4")).size == (320, 180)

    def test_a_beginning_in_black_is_passed_over(self) -> None:
        image = painted("mp4", film(*[0] * 20, *[90] * 10))
        left, right = sides(image)
        assert is_near(left, (255, 255, 255))
        assert is_near(right, (90, 90, 90))

    def test_one_that_is_black_throughout_is_black(self) -> None:
        assert is_near(painted("mp4", film(*[0] * 60)).getpixel((100, 100)), (0, 0, 0))

    def test_no_more_frames_are_looked_at_than_begin_a_video(self) -> None:
        assert is_near(painted("mp4", film(*[0] * 60, *[90] * 10)).getpixel((10, 10)), (0, 0, 0))

    def test_one_that_lies_on_its_side_is_set_upright(self) -> None:
        data = bytearray(mp4(audio=False))
        # The matrix in the track's header (ISO/IEC 14496-12, 8.3.2): a quarter turn clockwise
        at = data.index(b"tkhd") + 4 + 40
        data[at : at + 36] = b"".join(
            number.to_bytes(4, signed=True)
            for number in (0, 1 << 16, 0, -(1 << 16), 0, 0, 180 << 16, 0, 1 << 30)
        )
        upright, turned = painted("mp4", mp4(audio=False)), painted("mp4", bytes(data))
        assert turned.size == (180, 320)
        # What was at the left is on top now
        assert is_near(turned.getpixel((90, 20)), upright.getpixel((20, 90)))  # type: ignore[arg-type]

    def test_a_sound_in_a_video_s_container_has_a_waveform(self) -> None:
        assert painted("mp4", song("mp4")).size == (512, 128)

    def test_a_codec_that_no_provider_writes_is_not_decoded(self) -> None:
        with pytest.raises(NotDecodableError, match="codec"):
            render("mov", io.BytesIO(encoded_film("mov", "rawvideo", frames=1)))

    def test_one_that_is_larger_than_what_is_decoded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(images, "MAX_PIXELS", 320 * 180 - 1)
        with pytest.raises(NotDecodableError, match="pixels"):
            render("mp4", io.BytesIO(mp4()))

    @pytest.mark.parametrize("kept", [24, 400, 3000])
    def test_one_that_is_broken(self, kept: int) -> None:
        with pytest.raises(NotDecodableError):
            render("mp4", io.BytesIO(mp4()[:kept] + os.urandom(3000)))


@cache
def tone(codec: str, sample_format: str, container: str, *, loud_from: float = 0.0) -> bytes:
    """Return two seconds of a square wave in stereo, silent before the part of it from which it is `loud`."""
    found = io.BytesIO()
    with av.open(found, "w", format=container) as target:
        stream = target.add_stream(codec, RATE_HZ, layout="stereo")
        assert isinstance(stream, AudioStream)
        resampler = av.AudioResampler(format=sample_format, layout="stereo", rate=RATE_HZ)
        frame = av.AudioFrame(format="s16", layout="stereo", samples=2 * RATE_HZ)
        quiet = int(loud_from * 2 * RATE_HZ)
        wave = b"".join((20_000 if n // 100 % 2 else -20_000).to_bytes(2, "little", signed=True) * 2
                        for n in range(2 * RATE_HZ - quiet))  # fmt: skip
        frame.planes[0].update((bytes(4 * quiet) + wave).ljust(frame.planes[0].buffer_size, b"\0"))
        frame.rate, frame.pts = RATE_HZ, 0
        for part in resampler.resample(frame):
            target.mux(stream.encode(part))
        target.mux(stream.encode())
    return found.getvalue()


def bar_heights(image: Image.Image) -> list[int]:
    """Return how many pixels of each bar are drawn."""
    alpha = image.getchannel("A")
    middles = [(bar * image.width // 64 + (bar + 1) * image.width // 64) // 2 - 1 for bar in range(64)]
    return [sum(alpha.getpixel((x, y)) > 128 for y in range(image.height)) for x in middles]  # type: ignore[operator]


class TestSounds:
    @pytest.mark.parametrize(("extension", "format_name"), [("mp3", "mp3"), ("m4a", "ipod")])
    def test_a_song(self, extension: str, format_name: str) -> None:
        image = painted(extension, song(format_name))
        assert image.size == (512, 128)
        assert len(set(bar_heights(image))) > 1

    @pytest.mark.parametrize(
        ("extension", "container", "codec", "sample_format"),
        [
            ("wav", "wav", "pcm_u8", "u8"),
            ("wav", "wav", "pcm_s16le", "s16"),
            ("wav", "wav", "pcm_s24le", "s32"),
            ("wav", "wav", "pcm_f32le", "flt"),
            ("wav", "wav", "pcm_f64le", "dbl"),
            ("flac", "flac", "flac", "s16"),
            ("ogg", "ogg", "libopus", "s16"),
        ],
    )
    def test_sound_is_drawn_where_it_is(
        self, extension: str, container: str, codec: str, sample_format: str
    ) -> None:
        bars = bar_heights(painted(extension, tone(codec, sample_format, container, loud_from=0.5)))
        assert max(bars[:30]) < 20
        assert min(bars[34:]) > 80

    def test_silence_is_a_flat_line(self) -> None:
        bars = bar_heights(painted("wav", tone("pcm_s16le", "s16", "wav", loud_from=1.0)))
        assert len(set(bars)) == 1
        assert 0 < bars[0] < 8

    def test_a_click_of_a_few_samples_fills_every_bar(self) -> None:
        data = tone("pcm_s16le", "s16", "wav")
        start = data.index(b"data") + 8
        click = data[: start - 4] + (400).to_bytes(4, "little") + data[start : start + 400]
        assert min(bar_heights(painted("wav", click))) > 80

    def test_what_is_no_number_is_loud(self) -> None:
        data = tone("pcm_f32le", "flt", "wav")
        start = data.index(b"data") + 8
        assert min(bar_heights(painted("wav", data[:start] + b"\xff" * (len(data) - start)))) > 80

    def test_one_that_holds_nothing(self) -> None:
        data = tone("pcm_s16le", "s16", "wav")
        start = data.index(b"data")
        with pytest.raises(NotDecodableError):
            render("wav", io.BytesIO(data[:start] + b"data" + bytes(4)))

    def test_a_very_long_one_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(waveform, "_MAX_PEAKS", 100)
        with pytest.raises(NotDecodableError, match="too long"):
            render("wav", io.BytesIO(tone("pcm_s16le", "s16", "wav")))


def test_the_decoders_are_there() -> None:
    named = frames.DECODERS | waveform.DECODERS
    assert named <= av.codecs_available
