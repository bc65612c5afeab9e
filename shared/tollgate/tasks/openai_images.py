"""OpenAI's image requests as creates. Pure.

Source: https://platform.openai.com/docs/api-reference/images/create and `/createEdit`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.tasks.openai_media import IMAGE_FIELDS, image_input, properties_of, shape_input, texts, typed

FORMATS = ("url", "b64_json")
MASK = "maskUrl"
_OWN = ("model", "response_format", "n", "size", "user", "stream", "partial_images")
_SOURCES = ("image", "mask")
SENT_NAMES = {"aspectRatio": "size", MASK: "mask", **dict.fromkeys(IMAGE_FIELDS, "image")}
"""The names of input fields in a request."""


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A request in OpenAI's shape: its `create`, and whether the answer contains the image's bytes."""

    create: dict[str, Any]
    wants_bytes: bool


def read_image_request(
    body: Mapping[str, Any], catalog: Catalog, *, is_edit: bool = False, is_form: bool = False
) -> ImageRequest:
    """Return a request for an image, or with `is_edit` for an image from other images.

    `is_form`: the body was a form, so its values are texts. Raises `InvalidInputError`; create checks
    the values of the input.
    """
    problems = list(_problems(body))
    model = catalog.find_by_id(body["model"]) if isinstance(body.get("model"), str) else None
    if isinstance(model, Model) and model.media_type != "IMAGE":
        problems.append(Problem("/model", model.use, "GET /api/v1/catalog?type=IMAGE"))
    properties = properties_of(model) if isinstance(model, Model) else {}
    own = (*_OWN, *_SOURCES) if is_edit else _OWN
    given = {name: value for name, value in body.items() if name not in own and value is not None}
    given = typed(given, properties) if is_form else given
    if is_edit and isinstance(model, Model):
        sources, wrong = _sources(body, model.id, properties)
        given |= sources
        problems += wrong
    if problems:
        raise InvalidInputError(problems)
    given |= shape_input(body.get("size"), properties)
    create = {"model": body["model"], "input": given} if "model" in body else {"input": given}
    return ImageRequest(create, body.get("response_format") == "b64_json")


def _sources(
    body: Mapping[str, Any], model_id: str, properties: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the input fields with an edit's source images, and their problems."""
    images = texts(body.get("image"))
    if images is None:
        return {}, [
            Problem("/image", "Must be a file, a https URL, a data URI or a file's id; or a list of them.")
        ]
    placed = image_input(images, model_id, properties)
    if isinstance(placed, Problem):
        return {}, [placed]
    mask = body.get("mask")
    if mask is None:
        return placed, []
    if MASK not in properties:
        return placed, [Problem("/mask", f"{model_id} takes no mask: describe the change in the prompt.")]
    return {**placed, MASK: mask}, []


def _problems(body: Mapping[str, Any]) -> Sequence[Problem]:
    found = []
    # `true` is 1 in Python, and `0` is false.
    if body.get("n") not in (None, 1, "1") or body.get("n") is True:
        found.append(Problem("/n", "Only one image per request.", [1]))
    if body.get("stream") not in (None, "false") and body.get("stream") is not False:
        found.append(Problem("/stream", "Images are not streamed.", [False]))
    if body.get("response_format") not in (None, *FORMATS):
        found.append(Problem("/response_format", "Unknown format.", list(FORMATS)))
    return found
