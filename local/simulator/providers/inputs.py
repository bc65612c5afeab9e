"""The inputs and the results of simulated models, by table.

Only the fields of a table are accepted, with exactly their types, and required fields must be present. So a
request that an adapter maps wrongly is refused. Real providers are more tolerant.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from local.simulator.media import Artifact
from local.simulator.media.glb import Glb
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.media.picture import Picture
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
    # The model selects the shape if only a tier is given.
    **dict.fromkeys(("1K", "1.5K", "2K", "3K", "4K"), "1:1"),
}
"""Shapes with names. Other names, such as `portrait_4_3`, contain their ratio."""
# The usual names of the shape, the length and the sound of a result. A table declares others by `usual`.
_SHAPES = ("aspect_ratio", "ratio", "size", "image_size")
_LENGTHS = ("duration", "n_frames")
_SOUNDS = ("generate_audio", "sound", "audio", "generate_audio_switch")
_LOUD = (True, "on", "native")
"""The values that request a sound. Kling's own API has the words."""

_SIDES = re.compile(r"(\d{1,5})[x*](\d{1,5})")
"""Pixels in one word, such as `1024x768`."""

Prompt = Annotated[str, Field(max_length=MAX_PROMPT_CHARS)]
Url = Annotated[str, Field(pattern=r"^https?://.")]
Urls = Annotated[list[Url], Field(min_length=1)]
Size = Annotated[dict[Literal["width", "height"], int], Field(min_length=2)]
Table = Mapping[str, Any]
"""The type of each field, or `needed(type)`, by name."""


class Needed:
    """The type of a required field."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind


def needed(kind: Any) -> Needed:
    """Mark the type of a required field."""
    return Needed(kind)


@dataclass(frozen=True, slots=True)
class Usual:
    """The usual name of a field."""

    name: str


def usual(name: str, kind: Any) -> Any:
    """Return the type of a field that sets the shape, length or sound under another name.

    `name` is a name in `_SHAPES`, `_LENGTHS` or `_SOUNDS`.
    """
    return Annotated[kind, Usual(name)]


def one(*values: Any) -> Any:
    """Return the type of a field that accepts only `values`."""
    return Literal[values]


class ModelInput(BaseModel):
    """The input of a simulated model."""

    model_config = ConfigDict(extra="forbid", strict=True)
    usual: ClassVar[Mapping[str, str]] = {}
    """The usual name of each field that has another name at this vendor."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the result files of the job."""
        raise NotImplementedError

    def meant(self) -> dict[str, Any]:
        """Return the fields of the request by their usual names."""
        return {self.usual.get(name, name): value for name, value in self.said().items()}

    def said(self) -> dict[str, Any]:
        """Return the fields of the request."""
        return self.model_dump(exclude_none=True)


class ImageInput(ModelInput):
    """The input of an image model."""

    usual_form: ClassVar[str] = "png"
    """The file type if the request names none."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return images in the requested shape, by default square."""
        said = self.meant()
        width, height = _pixels(next((said[name] for name in _SHAPES if name in said), "1:1"))
        caption = text(said.get("prompt"))
        seed = said.get("seed", seed_of(caption))
        form = said.get("output_format", self.usual_form)
        made = {"form": form, "quality": said.get("output_compression", 80)}
        return [Picture(width, height, caption, label, seed + index, **made) for index in range(count)]


class JpegInput(ImageInput):
    """The input of an image model whose usual file type is JPEG."""

    usual_form = "jpeg"


class VideoInput(ModelInput):
    """The input of a video model."""

    always_has_sound: ClassVar[bool] = False

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return videos with the requested shape, length and sound."""
        said = self.meant()
        shape = _ratio(next((said[name] for name in _SHAPES if name in said), "16:9"))
        length_s = _seconds(next((said[name] for name in _LENGTHS if name in said), USUAL_S))
        is_loud = self.always_has_sound or any(said.get(name) in _LOUD for name in _SOUNDS)
        caption = text(said.get("prompt"))
        seed = said.get("seed", seed_of(caption))
        form = said.get("output_format", "mp4")
        return [Mp4(shape, length_s, is_loud, caption, label, seed + index, form) for index in range(count)]


class LoudInput(VideoInput):
    """The input of a video model that has no field for the sound, and always adds it."""

    always_has_sound = True


class ShapeInput(ModelInput):
    """The input of a 3D model."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return cubes."""
        caption = text(self.said().get("prompt"))
        return [Glb(caption, label, seed_of(caption) + index) for index in range(count)]


class CutoutInput(ModelInput):
    """The input of a model that removes backgrounds."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return images with a transparent background."""
        return [Picture(512, 512, "", label, index, is_cutout=True) for index in range(count)]


def images(**fields: Any) -> type[ModelInput]:
    """Return the input of an image model, with a prompt and these fields."""
    return made("Images", ImageInput, {"prompt": needed(Prompt), **fields})


def jpegs(**fields: Any) -> type[ModelInput]:
    """Return the input of an image model whose usual file type is JPEG, with a prompt and these fields."""
    return made("Jpegs", JpegInput, {"prompt": needed(Prompt), **fields})


def loud_videos(**fields: Any) -> type[ModelInput]:
    """Return the input of a video model that always adds a sound, with a prompt unless overridden."""
    return made("LoudVideos", LoudInput, {"prompt": needed(Prompt), **fields})


def videos(**fields: Any) -> type[ModelInput]:
    """Return the input of a video model, with a prompt unless `fields` override it."""
    return made("Videos", VideoInput, {"prompt": needed(Prompt), **fields})


def made(name: str, base: type[ModelInput], table: Table) -> type[ModelInput]:
    """Return an input class with these fields."""
    fields: dict[str, Any] = {
        field: (kind.kind, ...) if isinstance(kind, Needed) else (kind | None, None)
        for field, kind in table.items()
    }
    return _with_usual(create_model(name, __base__=base, **fields), table)


def _with_usual(found: type[ModelInput], table: Table) -> type[ModelInput]:
    found.usual = {
        field: note.name
        for field, kind in table.items()
        for note in getattr(kind.kind if isinstance(kind, Needed) else kind, "__metadata__", ())
        if isinstance(note, Usual)
    }
    return found


def problem_of(error: ValidationError) -> str:
    """Return the first invalid field, and the reason."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _seconds(length: Any) -> int:
    """Return a length in seconds. 0 is the length of the source, which is not read."""
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
