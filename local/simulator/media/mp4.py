"""MP4 and MOV videos: moving colours above a caption, with music if requested."""

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import ClassVar

import av
from av.container.output import OutputContainer
from av.video.frame import VideoFrame
from PIL import Image, ImageDraw

from local.simulator.media.filters import drain
from local.simulator.media.lettering import font, wrap
from local.simulator.media.palette import Colour, palette
from local.simulator.media.sound import SAMPLE_RATE_HZ, chords

FRAMES_PER_S = 8
FORMATS = {"mp4": "video/mp4", "mov": "video/quicktime"}
"""The file types of a video, with the media type of each."""
_AREA_PX = 57_600  # 320 x 180: twelve seconds stay within a tenth of a second of CPU
_CAPTION_PX = 34
_REDUCTION = 4
_FILTER_SEEDS = 2**31  # the filter's limit; a customer's seed may be any number
_TEXT_PX = 12


@dataclass(frozen=True, slots=True)
class Mp4:
    """A video (H.264, faststart) of `duration_s` seconds with the aspect ratio `aspect` (width, height).

    With `audio` it has an AAC track. `caption` and `label` are below the moving part of the image. `suffix`
    is a key of `FORMATS`.
    """

    aspect: tuple[int, int]
    duration_s: int
    audio: bool
    caption: str
    label: str
    seed: int
    suffix: str = "mp4"
    kind: ClassVar[str] = "video"

    @property
    def content_type(self) -> str:
        """Return the media type."""
        return FORMATS[self.suffix]

    @property
    def size_px(self) -> tuple[int, int]:
        """Return width and height: even numbers in the exact ratio, with an area of about `_AREA_PX`."""
        width, height = self.aspect
        scale = max(2, isqrt(_AREA_PX // (width * height)) // 2 * 2)
        return width * scale, height * scale

    def render(self) -> bytes:
        """Return the video's bytes."""
        # A file on disk, because the muxer reads back its output to move the index to the front.
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"video.{self.suffix}")
            with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
                self._write(container)
            return path.read_bytes()

    def _write(self, container: OutputContainer) -> None:
        width_px, height_px = self.size_px
        # One thread, because the image is too small to benefit from more.
        options = {"preset": "ultrafast", "crf": "28", "threads": "1"}
        video = container.add_stream("libx264", rate=FRAMES_PER_S, options=options)
        video.width, video.height, video.pix_fmt = width_px, height_px, "yuv420p"
        fast = {"aac_coder": "fast"}
        sound = container.add_stream("aac", SAMPLE_RATE_HZ, fast, layout="mono") if self.audio else None
        for frame in drain(self._graph()):
            if isinstance(frame, VideoFrame):
                container.mux(video.encode(frame))
        container.mux(video.encode())
        if sound is not None:
            for samples in chords(self.seed, self.duration_s, sample_format="fltp"):
                container.mux(sound.encode(samples))
            container.mux(sound.encode())

    def _graph(self) -> av.filter.Graph:
        width_px, height_px = self.size_px
        colours = ":".join(f"c{n}={_hex(colour)}" for n, colour in enumerate(palette(self.seed)))
        # Drawn small, because each pixel is computed, and enlarged: colours that change slowly look the same.
        small = f"s={width_px // _REDUCTION}x{height_px // _REDUCTION}"
        frames = f"{small}:d={self.duration_s}:r={FRAMES_PER_S}"
        motion = f"speed=0.03:seed={self.seed % _FILTER_SEEDS}"
        graph = av.filter.Graph()
        moving = graph.add("gradients", f"n=3:{colours}:{motion}:{frames}")
        larger = graph.add("scale", f"{width_px}:{height_px}")
        strip = graph.add_buffer(
            width=width_px,
            height=_CAPTION_PX,
            format=av.VideoFormat("rgb24", width_px, _CAPTION_PX),
            time_base=Fraction(1, FRAMES_PER_S),
        )
        overlay = graph.add("overlay", "x=0:y=H-h:eof_action=repeat")
        converter = graph.add("format", "pix_fmts=yuv420p")
        sink = graph.add("buffersink")
        moving.link_to(larger)
        larger.link_to(overlay, 0, 0)
        strip.link_to(overlay, 0, 1)
        overlay.link_to(converter)
        converter.link_to(sink)
        graph.configure()
        strip.push(self._strip())
        strip.push(None)
        return graph

    def _strip(self) -> VideoFrame:
        width_px, _ = self.size_px
        image = Image.new("RGB", (width_px, _CAPTION_PX), (16, 16, 20))
        draw = ImageDraw.Draw(image)
        small = font(_TEXT_PX)
        lines = [*wrap(self.caption, small, width_px - 12, max_lines=1), self.label]
        draw.multiline_text((6, 2), "\n".join(lines), fill=(255, 255, 255), font=small, spacing=3)
        frame: VideoFrame = VideoFrame.from_image(image)  # type: ignore[no-untyped-call]  # av has no types for it
        frame.pts, frame.time_base = 0, Fraction(1, FRAMES_PER_S)
        return frame


def _hex(colour: Colour) -> str:
    return "0x{:02x}{:02x}{:02x}".format(*colour)
