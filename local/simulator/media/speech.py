"""Spoken recordings: a tone for each word, in the formats of speech models."""

import io
from typing import Any

import av
from av.audio.resampler import AudioResampler

from local.simulator.media.sound import chords

# Codec, container and sample format of each format. PCM has only the samples.
_FORMATS = {
    "mp3": ("libmp3lame", "mp3", "s16p"),
    "opus": ("libopus", "ogg", "s16"),
    "aac": ("aac", "adts", "fltp"),
    "flac": ("flac", "flac", "s16"),
    "wav": ("pcm_s16le", "wav", "s16"),
    "pcm": ("pcm_s16le", "s16le", "s16"),
}
RATE_HZ = 24_000
MAX_S = 30


def recording(seed: int, duration_s: int, name: str) -> bytes:
    """Return `duration_s` seconds of sound as a file of that format, at 24 kHz in mono, as OpenAI's are."""
    codec, container, sample_format = _FORMATS[name]
    rate_hz = 48_000 if name == "opus" else RATE_HZ
    resampler = AudioResampler(format=sample_format, layout="mono", rate=rate_hz)
    encoded = io.BytesIO()
    with av.open(encoded, "w", format=container) as file:
        # mypy knows the streams of literal names only.
        stream: Any = file.add_stream(codec, rate=rate_hz, layout="mono")
        for frame in chords(seed, max(1, min(duration_s, MAX_S)), sample_format="s16"):
            for part in resampler.resample(frame):
                file.mux(stream.encode(part))
        for part in resampler.resample(None):
            file.mux(stream.encode(part))
        file.mux(stream.encode())
    return encoded.getvalue()
