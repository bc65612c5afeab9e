"""Draws the waveform of a sound. Runs in the decoding process (`renderer.py`)."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import av
from PIL import Image, ImageDraw

from tollgate.thumbnails.frames import open_container
from tollgate.thumbnails.images import NotDecodableError, as_webp

DECODERS = frozenset({"mp3", "mp3float", "aac", "flac", "vorbis", "opus", "libopus", "alac"})
# WAV: linear, and the two telephone codecs.
_PCM = "pcm_"
# ffmpeg's sample formats, planar or not, as type codes of Python's arrays, with the value of full scale.
_SAMPLES = {"flt": ("f", 1.0), "dbl": ("d", 1.0), "s16": ("h", 32_768.0), "s32": ("i", 2_147_483_648.0)}
_U8_ZERO = 128
# Samples in the window of one peak, and the step between the samples that are read.
_WINDOW, _STRIDE = 256, 4
# Twelve hours at 48 kHz; the process reaches its time limit long before.
_MAX_PEAKS = 8_000_000
_SIZE_PX = (512, 128)
_BARS, _GAP_PX = 64, 3
# Visible on white and on black: a contrast of at least 3:1 on each (WCAG 2.2, 1.4.11).
_COLOUR = (108, 118, 214, 255)
# −60 dB: quieter sound is inaudible, and its noise would be drawn like music.
_SILENCE = 0.001


def audio_thumbnail(extension: str, file: BinaryIO) -> bytes:
    """Return the waveform of a sound, on a transparent background."""
    peaks = _peaks(extension, file)
    if not peaks:
        raise NotDecodableError("no sound")
    return as_webp(_image(heights(peaks)))


def heights(peaks: Sequence[float]) -> list[float]:
    """Return the heights of the bars, 0 to 1: each part's loudest peak, relative to the loudest of all."""
    loudest = max(peaks)
    if loudest < _SILENCE:
        return [0.0] * _BARS
    # A short sound has fewer peaks than bars, so some bars share a peak.
    ends = ((bar * len(peaks) // _BARS, -(-(bar + 1) * len(peaks) // _BARS)) for bar in range(_BARS))
    return [max(peaks[first:end]) / loudest for first, end in ends]


def _peaks(extension: str, file: BinaryIO) -> "array[float]":
    peaks = array("f")
    with open_container(extension, file) as container:
        if not container.streams.audio:
            raise NotDecodableError("no sound")
        stream = container.streams.audio[0]
        # ffmpeg has no context for a codec that it does not support.
        name = "" if stream.codec_context is None else stream.codec_context.codec.name
        if name not in DECODERS and not name.startswith(_PCM):
            raise NotDecodableError("codec")
        stream.codec_context.thread_count = 1
        for frame in container.decode(stream):
            peaks.extend(_peaks_of(frame))
            if len(peaks) > _MAX_PEAKS:
                raise NotDecodableError("too long")
    return peaks


def _peaks_of(frame: av.AudioFrame) -> Iterator[float]:
    """Yield the loudest sample of each window, 0 to 1; of planar channels, only the first is used."""
    planar = frame.format.is_planar
    count = frame.samples * (1 if planar else frame.layout.nb_channels)
    name = frame.format.name.removesuffix("p")
    plane = bytes(frame.planes[0])
    if name == "u8":
        samples: array[Any] = array("h", (byte - _U8_ZERO for byte in plane[:count]))
        full_scale = float(_U8_ZERO)
    else:
        kind, full_scale = _SAMPLES[name]
        samples = array(kind)
        samples.frombytes(plane[: count * samples.itemsize])
    for start in range(0, len(samples), _WINDOW):
        window = samples[start : start + _WINDOW : _STRIDE]
        highest, lowest = max(window), min(window)
        peak = max(highest, -lowest) / full_scale
        # A file may have samples that are not numbers, or beyond full scale.
        yield peak if 0 <= peak <= 1 else 1.0


def _image(bars: list[float]) -> Image.Image:
    width, height = _SIZE_PX
    image = Image.new("RGBA", _SIZE_PX)
    draw = ImageDraw.Draw(image)
    for index, bar in enumerate(bars):
        left = index * width // _BARS
        right = (index + 1) * width // _BARS - _GAP_PX
        half = max(1, round(bar * (height // 2 - 2)))
        draw.rounded_rectangle(
            (left, height // 2 - half, right, height // 2 + half), min(2, half), fill=_COLOUR
        )
    return image
