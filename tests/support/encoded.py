"""Small media files of every kind, by encoders that are not ours: Pillow's and ffmpeg's."""

import io
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import av
from av.audio.stream import AudioStream
from PIL import Image

from local.simulator.media.mp4 import Mp4
from local.simulator.media.sound import SAMPLE_RATE_HZ, chords

SIDE = 40


@cache
def picture(name: str, frames: int = 1, *, is_progressive: bool = False, has_restarts: bool = False) -> bytes:
    """Return an image in a format of Pillow's that nothing makes small; several frames are an animation."""
    images = [Image.effect_noise((SIDE, SIDE), 90 - at).convert("RGB") for at in range(frames)]
    file = io.BytesIO()
    if frames > 1:
        images[0].save(file, name, save_all=True, append_images=images[1:])
    elif is_progressive:
        images[0].save(file, name, progressive=True)
    elif has_restarts:
        thumbnail = b"Exif\0\0" + picture(name)
        images[0].save(file, name, restart_marker_blocks=1, exif=thumbnail)
    else:
        images[0].save(file, name)
    return file.getvalue()


@cache
def sound(container: str, codec: str, sample_format: str, options: tuple[tuple[str, str], ...] = ()) -> bytes:
    """Return a second of music; `options` are for ffmpeg's muxer."""
    file = io.BytesIO()
    with av.open(file, "w", format=container, options=dict(options)) as target:
        rate_hz = 48_000 if codec == "libopus" else SAMPLE_RATE_HZ
        stream = target.add_stream(codec, rate=rate_hz, layout="mono")
        assert isinstance(stream, AudioStream)
        for frame in chords(1, 1, sample_format):
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return file.getvalue()


@cache
def video(container: str, options: tuple[tuple[str, str], ...] = ()) -> bytes:
    """Return a short video, wrapped anew without being encoded again; `options` are for ffmpeg's muxer."""
    made = Mp4((16, 9), 1, False, "a fox", "test", seed=1).render()
    with NamedTemporaryFile() as file:  # some options of the muxer open it a second time
        with (
            av.open(io.BytesIO(made), "r") as source,
            av.open(file.name, "w", format=container, options=dict(options)) as target,
        ):
            stream = target.add_stream_from_template(source.streams.video[0])
            for packet in source.demux(video=0):
                if packet.dts is not None:
                    packet.stream = stream
                    target.mux(packet)
        return Path(file.name).read_bytes()
