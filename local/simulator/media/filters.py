"""Common code for ffmpeg's filter graphs, for sound and video."""

from collections.abc import Iterator
from itertools import repeat

import av
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame

MAX_FRAMES = 10_000
"""Frames from one graph: far more than the longest video has."""


def drain(graph: av.filter.Graph) -> Iterator[AudioFrame | VideoFrame]:
    """Yield the frames of a configured `graph` with its own sources, up to `MAX_FRAMES`."""
    for _ in repeat(None, MAX_FRAMES):
        try:
            yield graph.pull()
        except (av.EOFError, av.BlockingIOError):
            return
