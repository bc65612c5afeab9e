"""OpenAI's image requests as creates. Pure.

Source: https://platform.openai.com/docs/api-reference/images/create and `/createEdit`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.profiles.base import IMAGES
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits, whole_number
from tollgate.kit.problems import Problem, one_of
from tollgate.tasks.openai_media import (
    Properties,
    create_of,
    image_input,
    pixels_of,
    properties_of,
    shape_input,
    texts,
    typed,
)

FORMATS = ("url", "b64_json")
MASK = "maskUrl"
MAX_IMAGES = 10
MAX_PARTIAL_IMAGES = 3
MAX_NUMBER = 999
"""The largest number that a form's text can be; each option has a lower bound."""
BYTES_BY_DEFAULT = "gpt-image-"
ENOUGH = 0.55
"""A resolution fits a size if it has this share of the size's pixels. So OpenAI's usual 1536x1024 and
1792x1024 are 1K, 2560x1440 is 2K, and 3840x2160 is 4K."""
_OWN = (
    *("model", "response_format", "n", "size", "user", "safety_identifier", "stream", "partial_images"),
    "provider",
)
_SOURCES = ("image", "mask")
_RESOLUTION = re.compile(r"(\d(?:\.\d)?)K", re.ASCII | re.IGNORECASE)
SENT_NAMES = {
    "aspectRatio": "size",
    "outputFormat": "output_format",
    "outputCompression": "output_compression",
    MASK: "mask",
    IMAGES: "image",
}
"""The names of input fields in a request."""
_OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "background": ("auto", "opaque"),
    "input_fidelity": ("low",),
    "moderation": ("auto",),
    "output_compression": (100,),
    "output_format": (),
    "quality": ("auto", "standard"),
    "style": (),
}
"""OpenAI's options, each with the values that have no effect on any model."""


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A request in OpenAI's shape: its `create`, how many images of it, and the form of the answer.

    `wants_bytes`: the answer contains the images' bytes. `wants_url`: it contains their URLs.
    `is_streamed`: it is an event stream. `ignored`: the options without an effect, as the request names them.
    """

    create: dict[str, Any]
    images: int
    wants_bytes: bool
    wants_url: bool
    is_streamed: bool
    ignored: tuple[str, ...] = ()


def read_image_request(
    body: Mapping[str, Any], catalog: Catalog, *, is_edit: bool = False, is_form: bool = False
) -> ImageRequest:
    """Return a request for images, or with `is_edit` for images from other images.

    `is_form`: the body was a form, so its values are texts. Raises `InvalidInputError`; create checks
    the values of the input.
    """
    if is_edit:
        body = _with_plain_images(body)
    sent = {name: _plain(value) for name, value in body.items()} if is_form else body
    problems = list(_problems(sent))
    model = catalog.find_by_name(body["model"]) if isinstance(body.get("model"), str) else None
    if isinstance(model, Model) and model.media_type != "IMAGE":
        problems.append(Problem("/model", model.use, "GET /api/v1/catalog?type=IMAGE"))
    properties = properties_of(model) if isinstance(model, Model) else {}
    own = (*_OWN, *_SOURCES) if is_edit else _OWN
    given = {name: value for name, value in body.items() if name not in own and value is not None}
    given = typed(given, properties) if is_form else given
    if isinstance(model, Model):
        problems += _take_options(given, sent, model.id, properties)
    if is_edit and isinstance(model, Model):
        sources, wrong = _sources(body, model.id, properties)
        given |= sources
        problems += wrong
    if problems:
        raise InvalidInputError(problems)
    given |= _size_input(body.get("size"), given, properties)
    create = create_of(body, given, is_form=is_form)
    is_streamed = sent.get("stream") is True
    forms = {"b64_json"} if is_streamed else _forms(sent.get("response_format"), model, is_edit=is_edit)
    # OpenAI also sends fewer partial images than requested if the image is ready sooner.
    ignored = ("partial_images",) if sent.get("partial_images") else ()
    images = whole_number(sent.get("n")) or 1
    return ImageRequest(create, images, "b64_json" in forms, "url" in forms, is_streamed, ignored)


def _forms(asked: Any, model: Any, *, is_edit: bool) -> set[str]:
    """Return the forms of each image in the answer: `asked`, or those that the SDKs expect by default.

    OpenAI's own image models never return a URL, and only they make edits there. Its clients then read
    the bytes without asking for them. Other programs read the URL, so both are returned.
    """
    if asked is not None:
        return {asked}
    has_bytes = is_edit or (isinstance(model, Model) and model.id.startswith(BYTES_BY_DEFAULT))
    return {"b64_json", "url"} if has_bytes else {"url"}


def _size_input(asked: Any, given: Mapping[str, Any], properties: Properties) -> dict[str, Any]:
    """Return the fields with a size: the shape, and the resolution that has the pixels of `WIDTHxHEIGHT`."""
    shape = shape_input(asked, properties)
    pixels = 0 if asked in shape.values() else pixels_of(asked)
    areas = {name: area for name in properties.get("resolution", {}).get("enum", ()) if (area := _area(name))}
    if not pixels or not areas or "resolution" in given:
        return shape
    fitting = [name for name in areas if areas[name] >= ENOUGH * pixels]
    # The model refuses a size with more pixels than it can make, and lists its own sizes.
    return {**shape, "resolution": min(fitting, key=areas.__getitem__)} if fitting else {"size": asked}


def _area(resolution: str) -> float:
    """Return the pixels of a resolution such as `2K`, which is the side of a square; 0 for another name."""
    thousands = _RESOLUTION.fullmatch(resolution)
    return (float(thousands[1]) * 1_024) ** 2 if thousands else 0


def _take_options(
    given: dict[str, Any], sent: Mapping[str, Any], model_id: str, properties: Mapping[str, Any]
) -> Iterator[Problem]:
    """Turn OpenAI's options in `given` into the model's fields; yield a problem for each other one."""
    for name, met in _OPTIONS.items():
        if name not in given:
            continue
        value = given.pop(name)
        field = _camel(name)
        # `True` equals 1 in Python, and is no number here.
        has_no_effect = any(sent[name] == one and type(sent[name]) is type(one) for one in met)
        if field in properties and (not has_no_effect or value in properties[field].get("enum", ())):
            given[field] = value
        elif not has_no_effect:
            message = f"{model_id} has no such option. Leave it out{_or_send(met)}."
            yield Problem(f"/{name}", message, list(met) or None)


def _or_send(values: Sequence[Any]) -> str:
    return f", or send {' or '.join(map(str, values))}" if values else ""


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _plain(value: Any) -> Any:
    """Return the number or boolean that a form's text stands for, or the value unchanged."""
    if value in ("true", "false"):
        return value == "true"
    number = digits(value, 0, MAX_NUMBER)
    return value if number is None else number


def _with_plain_images(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an edit's body whose images are texts, in the fields of its form.

    OpenAI's JSON has `images`, a list of `{image_url}` or `{file_id}`, and such a `mask`
    (openai-openapi, `EditImageBodyJsonParam`).
    """
    images, mask = body.get("images"), body.get("mask")
    plain = {name: value for name, value in body.items() if name != "images"}
    if isinstance(images, list):
        plain["image"] = list(map(_plain_image, images))
    return {**plain, "mask": _plain_image(mask)} if isinstance(mask, dict) else plain


def _plain_image(image: Any) -> Any:
    return image.get("image_url") or image.get("file_id") if isinstance(image, dict) else image


def _sources(
    body: Mapping[str, Any], model_id: str, properties: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the input fields with an edit's source images, and their problems."""
    images = texts(body.get("image"))
    if images is None:
        return {}, [
            Problem(
                "/image", "Must be a file, an https URL, a data URI, the id of a file, or a list of these."
            )
        ]
    placed = image_input(images, model_id, properties)
    if isinstance(placed, Problem):
        return {}, [placed]
    mask = body.get("mask")
    if mask is None:
        return placed, []
    if MASK not in properties:
        return placed, [Problem("/mask", f"{model_id} supports no mask. Describe the change in the prompt.")]
    return {**placed, MASK: mask}, []


def _problems(body: Mapping[str, Any]) -> Iterator[Problem]:
    if body.get("n") is not None and not _is_whole(body["n"], 1, MAX_IMAGES):
        yield Problem("/n", f"Must be a whole number from 1 to {MAX_IMAGES}.")
    stream, partial_images = body.get("stream"), body.get("partial_images")
    if stream is not None and not isinstance(stream, bool):
        yield Problem("/stream", "Must be true or false.", [True, False])
    if partial_images is not None:
        if not _is_whole(partial_images, 0, MAX_PARTIAL_IMAGES):
            yield Problem("/partial_images", f"Must be a whole number from 0 to {MAX_PARTIAL_IMAGES}.")
        elif partial_images and stream is not True:
            yield Problem("/partial_images", "Needs stream: true.")
    if body.get("response_format") not in (None, *FORMATS):
        yield one_of("/response_format", FORMATS)


def _is_whole(value: Any, least: int, most: int) -> bool:
    number = whole_number(value)
    return number is not None and least <= number <= most
