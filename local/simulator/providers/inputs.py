"""What a simulated model takes and what it makes of it, by table.

Only the fields of a table are taken, in exactly their types, and those marked as needed must be there: so a
request that an adapter maps wrongly is refused. Real providers are more patient.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from local.simulator.media import Artifact
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.png import Png
from local.simulator.media.shapes import LONG_SIDE_PX, aspect, image_size_px
from local.simulator.wire import MAX_PROMPT_CHARS, text

USUAL_S = 5
MAX_VIDEO_S = 30
_PRESETS = {
    "square": "1:1",
    "square_hd": "1:1",
    "portrait": "9:16",
    "landscape": "16:9",
    "auto": "16:9",
    "adaptive": "16:9",
    # A tier alone leaves the shape to the model.
    **dict.fromkeys(("1K", "1.5K", "2K", "3K", "4K"), "1:1"),
}
"""Shapes that are called by names; others, such as `portrait_4_3`, have their ratio in theirs."""
_SHAPES = ("aspect_ratio", "ratio", "size", "image_size")
_LENGTHS = ("duration", "n_frames")
_SOUNDS = ("generate_audio", "sound", "audio", "generate_audio_switch")

_SIDES = re.compile(r"(\d{1,5})[x*](\d{1,5})")
"""Pixels in one word, such as `1024x768`."""

Prompt = Annotated[str, Field(max_length=MAX_PROMPT_CHARS)]
Url = Annotated[str, Field(pattern=r"^https?://.")]
Urls = Annotated[list[Url], Field(min_length=1)]
Size = Annotated[dict[Literal["width", "height"], int], Field(min_length=2)]
Table = Mapping[str, Any]
"""By field: its type, or `needed(type)`."""


class Needed:
    """A type of a field that must be there."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind


def needed(kind: Any) -> Needed:
    """Mark the type of a field that must be there."""
    return Needed(kind)


def one(*values: Any) -> Any:
    """Return the type of a field that has one of `values`."""
    return Literal[values]


class ModelInput(BaseModel):
    """The input of a simulated model."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return what the job makes."""
        raise NotImplementedError

    def said(self) -> dict[str, Any]:
        """Return the fields that the request has."""
        return self.model_dump(exclude_none=True)


class ImageInput(ModelInput):
    """The input of a model that makes images."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return images in the shape that the request has, else square ones."""
        said = self.said()
        width, height = _pixels(next((said[name] for name in _SHAPES if name in said), "1:1"))
        caption = text(said.get("prompt"))
        seed = said.get("seed", seed_of(caption))
        return [Png(width, height, caption, label, seed + index) for index in range(count)]


class VideoInput(ModelInput):
    """The input of a model that makes videos."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return videos in the shape, with the length and the sound that the request has."""
        said = self.said()
        shape = _ratio(next((said[name] for name in _SHAPES if name in said), "16:9"))
        length_s = _seconds(next((said[name] for name in _LENGTHS if name in said), USUAL_S))
        is_loud = any(said.get(name) is True for name in _SOUNDS)
        caption = text(said.get("prompt"))
        seed = said.get("seed", seed_of(caption))
        return [Mp4(shape, length_s, is_loud, caption, label, seed + index) for index in range(count)]


def images(**fields: Any) -> type[ModelInput]:
    """Return the input of a model that makes images, with a prompt and these fields."""
    return made("Images", ImageInput, {"prompt": needed(Prompt), **fields})


def videos(**fields: Any) -> type[ModelInput]:
    """Return the input of a model that makes videos, with a prompt unless `fields` say otherwise."""
    return made("Videos", VideoInput, {"prompt": needed(Prompt), **fields})


def made(name: str, base: type[ModelInput], table: Table) -> type[ModelInput]:
    """Return an input class of these fields."""
    fields: dict[str, Any] = {
        field: (kind.kind, ...) if isinstance(kind, Needed) else (kind | None, None)
        for field, kind in table.items()
    }
    return create_model(name, __base__=base, **fields)


def problem_of(error: ValidationError) -> str:
    """Return the first field that is wrong, and why."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _seconds(length: Any) -> int:
    """Return a length in seconds; 0 is as long as the source, which is not looked at."""
    number = int(str(length).rstrip("s")) or USUAL_S
    return max(1, min(number, MAX_VIDEO_S))


def _ratio(shape: Any) -> tuple[int, int]:
    named = _PRESETS.get(str(shape))
    if named is None:
        _, _, ratio = str(shape).partition("_")
        named = ":".join(reversed(ratio.split("_"))) if str(shape).startswith("portrait_") else ratio
        named = named.replace("_", ":") or str(shape)
    return aspect(named)


def _pixels(shape: Any) -> tuple[int, int]:
    if match := _SIDES.fullmatch(str(shape)):
        shape = {"width": int(match[1]), "height": int(match[2])}
    if not isinstance(shape, dict):
        width, height = _ratio(shape)
        return image_size_px(f"{width}:{height}")
    longest = max(shape.values())
    scale = min(longest, LONG_SIDE_PX)
    return max(1, shape["width"] * scale // longest), max(1, shape["height"] * scale // longest)
