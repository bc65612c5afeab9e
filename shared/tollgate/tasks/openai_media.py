"""The common part of OpenAI's image and video requests: forms, uploads, sizes as a model's input. Pure.

Other fields are passed to the model's input unchanged, so that all of a model's fields can be used from
OpenAI's SDKs (`extra_body`).
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.catalog.profiles.base import IMAGES
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

MAX_SIDE_DIGITS = 5
AUTO, SQUARE = "auto", "1:1"
EXACT = Fraction(0)

_INPUT = "/input/"
_SHAPES = ("size", "aspectRatio")
_PIXELS = re.compile(rf"(\d{{1,{MAX_SIDE_DIGITS}}})x(\d{{1,{MAX_SIDE_DIGITS}}})", re.ASCII)
_NOT_TEXT = {"integer", "number", "boolean", "array", "object"}

Properties = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a form: its type, its bytes, and its name if it has one."""

    content_type: str
    data: bytes
    name: str | None = None

    @property
    def uri(self) -> str:
        """Return it as a data URI, which every media field accepts."""
        return f"data:{self.content_type};base64,{b64encode(self.data).decode()}"


def form_body(fields: Iterable[tuple[str, str | Upload]]) -> dict[str, Any]:
    """Return a form as a JSON body: `name[]` is a list, and so is a repeated name."""
    found: dict[str, Any] = {}
    for name, sent in fields:
        value = sent.uri if isinstance(sent, Upload) else sent
        key = name.removesuffix("[]")
        if key in found:
            earlier = found[key] if isinstance(found[key], list) else [found[key]]
            found[key] = [*earlier, value]
        else:
            found[key] = [value] if name.endswith("[]") else value
    return found


def properties_of(model: Model) -> Properties:
    """Return the schemas of a model's input fields."""
    properties: Properties = json_schema(model)["properties"]
    return properties


def typed(values: Mapping[str, Any], properties: Properties) -> dict[str, Any]:
    """Return the values of a form, which are texts, in the types of the model's fields."""
    return {name: _typed(value, properties.get(name, {})) for name, value in values.items()}


def create_of(body: Mapping[str, Any], values: Mapping[str, Any], *, is_form: bool) -> dict[str, Any]:
    """Return the create for a request with these values of the input, and with its routing wishes.

    A form has the wishes as JSON, because its values are texts.
    """
    found = {name: body[name] for name in ("model", "provider") if name in body}
    if is_form and isinstance(found.get("provider"), str):
        # Other text stays, so that create refuses it by name.
        with suppress(ValueError, RecursionError):
            found["provider"] = json.loads(found["provider"])
    return {**found, "input": dict(values)}


def with_sent_names(error: InvalidInputError, sent_names: Mapping[str, str]) -> InvalidInputError:
    """Return the problems of a create with the paths of the original request."""
    return error.renamed(lambda one: replace(one, path=_sent_path(one.path, sent_names)))


def _sent_path(path: str, sent_names: Mapping[str, str]) -> str:
    """Return the path in the request of a path in the create: the input's fields stand beside `model`."""
    if not path.startswith(_INPUT):
        return path
    field, slash, rest = path.removeprefix(_INPUT).partition("/")
    return f"/{sent_names.get(field, field)}{slash}{rest}"


def image_input(images: Sequence[str], model_id: str, properties: Properties) -> dict[str, Any] | Problem:
    """Return the field with `images`, or a problem: the model takes none."""
    return (
        {IMAGES: list(images)} if IMAGES in properties else Problem("/image", f"{model_id} takes no images.")
    )


def texts(value: Any) -> list[str] | None:
    """Return one text or several as a list; `None` for anything else, and for an empty list."""
    found = value if isinstance(value, list) else [value]
    return found if found and all(isinstance(each, str) and each for each in found) else None


def shape_input(asked: Any, properties: Properties, near: Fraction = EXACT) -> dict[str, Any]:
    """Return the field with a size: the model's value for OpenAI's `WIDTHxHEIGHT`, or the size unchanged.

    A size counts as the nearest shape if it differs by at most the share `near`.
    Without a size the result is the model's default, or a square, as for OpenAI's own models.
    """
    name = next((each for each in _SHAPES if each in properties), "size")
    options = [str(one) for one in properties.get(name, {}).get("enum", ())]
    if asked in (None, AUTO):
        chosen = next((size for size in (AUTO, SQUARE) if size in options), None)
        return {} if chosen is None or name != "size" else {name: chosen}
    return {name: asked if asked in options else _named(asked, options, near)}


def short_side(asked: Any) -> int | None:
    """Return the shorter side of `WIDTHxHEIGHT`."""
    pixels = _PIXELS.fullmatch(asked) if isinstance(asked, str) else None
    return None if pixels is None else min(int(pixels[1]), int(pixels[2]))


def pixels_of(asked: Any) -> int:
    """Return the number of pixels of `WIDTHxHEIGHT`; 0 for anything else."""
    pixels = _PIXELS.fullmatch(asked) if isinstance(asked, str) else None
    return 0 if pixels is None else int(pixels[1]) * int(pixels[2])


def _named(asked: Any, options: Sequence[str], near: Fraction) -> Any:
    pixels = _PIXELS.fullmatch(asked) if isinstance(asked, str) else None
    if pixels is None or "0" in (pixels[1].strip("0") or "0", pixels[2].strip("0") or "0"):
        return asked
    ratio = Fraction(int(pixels[1]), int(pixels[2]))
    shapes = {shape: Fraction(*map(int, shape.split(":"))) for shape in options if _is_shape(shape)}
    nearest = min(shapes, key=lambda shape: abs(shapes[shape] - ratio), default=None)
    is_near = nearest is not None and abs(shapes[nearest] - ratio) <= near * ratio
    return nearest if is_near else asked


def _is_shape(option: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,3}:[1-9]\d{0,3}", option, re.ASCII) is not None


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    if _is(schema, "array") and not isinstance(value, list) and not _looks_like_json(value):
        return [value]
    if not isinstance(value, str) or not any(_is(schema, kind) for kind in _NOT_TEXT):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    """Return whether a field has a type; a number's schema may have only an `enum`."""
    numeric = kind in ("integer", "number") and any(
        type(one) in (int, float) for one in schema.get("enum", ())
    )
    return schema.get("type") == kind or numeric
