"""OpenAI's image requests as creates, and tasks as its answers. Pure.

Source: https://platform.openai.com/docs/api-reference/images/create. What is not named here goes to the
model's input as it is, so that all of a model's fields can be used from OpenAI's SDKs (`extra_body`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.kit.errors import InvalidInputError, Problem

MAX_SIDE_DIGITS = 5
FORMATS = ("url", "b64_json")
AUTO, SQUARE = "auto", "1:1"
_OWN = ("model", "response_format", "n", "size", "user", "stream", "partial_images")
_PIXELS = re.compile(rf"(\d{{1,{MAX_SIDE_DIGITS}}})x(\d{{1,{MAX_SIDE_DIGITS}}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A request in OpenAI's shape: the `create` it comes to, and whether the answer has the image's bytes."""

    create: dict[str, Any]
    wants_bytes: bool


def read_image_request(body: Mapping[str, Any], catalog: Catalog) -> ImageRequest:
    """Return what a request asks for. Raises `InvalidInputError`; what goes into the input, create checks."""
    problems = list(_problems(body))
    model = catalog.find(body["model"]) if isinstance(body.get("model"), str) else None
    if isinstance(model, Model) and model.media_type != "IMAGE":
        problems.append(Problem("/model", "Must be an image model.", "GET /api/v1/catalog?type=IMAGE"))
    if problems:
        raise InvalidInputError(problems)
    given = {name: value for name, value in body.items() if name not in _OWN and value is not None}
    size = _size(body.get("size"), _sizes(model) if isinstance(model, Model) else ())
    if size is not None:
        given["size"] = size
    create = {"model": body["model"], "input": given} if "model" in body else {"input": given}
    return ImageRequest(create, body.get("response_format") == "b64_json")


def _problems(body: Mapping[str, Any]) -> Sequence[Problem]:
    found = []
    if body.get("n") not in (None, 1):
        found.append(Problem("/n", "One image a request.", [1]))
    if body.get("stream"):
        found.append(Problem("/stream", "Images are not streamed.", [False]))
    if body.get("response_format") not in (None, *FORMATS):
        found.append(Problem("/response_format", "Unknown format.", list(FORMATS)))
    return found


def _sizes(model: Model) -> Sequence[str]:
    size = json_schema(model)["properties"].get("size", {})
    return [str(one) for one in size.get("enum", ())]


def _size(asked: Any, sizes: Sequence[str]) -> Any:
    """Return OpenAI's `WIDTHxHEIGHT` as the model's word for that shape; what it has none for, as it is.

    Who asks for none gets what the model chooses, or a square, as OpenAI's own models do.
    """
    if asked in (None, AUTO):
        return next((size for size in (AUTO, SQUARE) if size in sizes), None)
    if asked in sizes:
        return asked
    pixels = _PIXELS.fullmatch(asked) if isinstance(asked, str) else None
    if pixels is None or int(pixels[2]) == 0:
        return asked
    ratio = Fraction(int(pixels[1]), int(pixels[2]))
    named = f"{ratio.numerator}:{ratio.denominator}"
    return named if named in sizes else asked
