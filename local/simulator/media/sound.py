"""Sound: four bars of chords with a plucked melody, and MP3 files of it."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar

import av
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

from local.simulator.media.filters import drain

SAMPLE_RATE_HZ = 16_000
SONG_S = 8
_SAMPLE_BYTES = 2
_BAR_S = 2
_BEATS_PER_BAR = 8
_KEYS_HZ = ("130.81", "146.83", "164.81", "174.61", "196.00")
_ROOTS = ("1", "3/4", "5/6", "2/3")
"""I, V, vi and IV as pure ratios to the key, the chords of many pop songs."""
_MINOR_BAR = 2
_TUNES = ((0, 1, 2, 1, 2, 0, 1, 2), (2, 1, 0, 1, 2, 2, 1, 0), (0, 2, 1, 2, 0, 2, 1, 0))


@dataclass(frozen=True, slots=True)
class Song:
    """An MP3 of `SONG_S` seconds. `seed` determines key and tune."""

    title: str
    seed: int
    kind: ClassVar[str] = "audio"
    suffix: ClassVar[str] = "mp3"
    content_type: ClassVar[str] = "audio/mpeg"

    def render(self) -> bytes:
        """Return the MP3's bytes."""
        encoded = io.BytesIO()
        with av.open(encoded, "w", format="mp3") as container:
            container.metadata["title"] = self.title
            fast = {"compression_level": "9"}
            stream = container.add_stream("libmp3lame", SAMPLE_RATE_HZ, fast, layout="mono")
            for frame in chords(self.seed, SONG_S, sample_format="s16p"):
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return encoded.getvalue()


def chords(seed: int, duration_s: int, sample_format: str) -> Iterator[AudioFrame]:
    """Yield mono audio frames of one second each, `duration_s` in all. The music repeats after four bars."""
    tune = _tune(seed % (len(_KEYS_HZ) * len(_TUNES)))
    converter = AudioResampler(format=sample_format, layout="mono", rate=SAMPLE_RATE_HZ)
    for second in range(duration_s):
        frame = AudioFrame("s16", "mono", SAMPLE_RATE_HZ)
        frame.planes[0].update(tune[second % SONG_S])
        frame.sample_rate, frame.time_base = SAMPLE_RATE_HZ, Fraction(1, SAMPLE_RATE_HZ)
        frame.pts = second * SAMPLE_RATE_HZ
        yield from converter.resample(frame)


@cache
def _tune(number: int) -> Sequence[bytes]:
    """Return four bars as 16-bit samples, by second. Each of the 15 tunes takes 0.1 s of CPU."""
    graph = av.filter.Graph()
    source = graph.add(
        "aevalsrc", f"exprs='{_wave(number)}':s={SAMPLE_RATE_HZ}:n={SAMPLE_RATE_HZ}:d={SONG_S}"
    )
    converter = graph.add("aformat", "sample_fmts=s16")
    sink = graph.add("abuffersink")
    source.link_to(converter)
    converter.link_to(sink)
    graph.configure()
    # ffmpeg pads its buffers.
    return [bytes(frame.planes[0])[: SAMPLE_RATE_HZ * _SAMPLE_BYTES] for frame in drain(graph)]


def _wave(seed: int) -> str:
    """Return the sample at time `t` as an expression for ffmpeg.

    Values that are used twice are stored with `st`.
    """
    key_hz = _KEYS_HZ[seed % len(_KEYS_HZ)]
    tune = _TUNES[seed // len(_KEYS_HZ) % len(_TUNES)]
    voices = ("ld(2)", "ld(3)", "ld(2)*3/2")
    beat_s = f"{_BAR_S}/{_BEATS_PER_BAR}"
    steps = (
        f"st(0,mod(floor(t/{_BAR_S}),{len(_ROOTS)}))",
        f"st(1,mod(floor(t/({beat_s})),{_BEATS_PER_BAR}))",
        f"st(2,2*PI*{key_hz}*t*{_pick('ld(0)', _ROOTS)})",
        f"st(3,ld(2)*if(eq(ld(0),{_MINOR_BAR}),6/5,5/4))",
        # The pad fades in and out with each bar, because a chord that changes at full volume clicks.
        f"st(4,min(1,8*min(mod(t,{_BAR_S}),{_BAR_S}-mod(t,{_BAR_S}))))",
        f"st(5,mod(t,{beat_s}))",
        f"0.09*ld(4)*({'+'.join(f'sin({voice})' for voice in voices)})"
        f"+0.22*exp(-9*ld(5))*min(1,200*ld(5))*sin(4*{_pick('ld(1)', [voices[note] for note in tune])})",
    )
    return ";".join(steps)


def _pick(index: str, values: Sequence[str]) -> str:
    """Return an expression that is `values[index]`."""
    expression = values[-1]
    for number in reversed(range(len(values) - 1)):
        expression = f"if(eq({index},{number}),{values[number]},{expression})"
    return expression
