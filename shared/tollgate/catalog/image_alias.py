"""The name `imageUrls` for the images of every model that takes them in only one field. Pure.

Models call this field `urls`, `imageUrl`, `referenceImageUrls` and so on. Under `imageUrls` the value is
always a list, also if the field takes a single URL. A model whose own field is `imageUrls` has no alias.

Source: site/tasks.md#create.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticCustomError

from tollgate.catalog.kinds import Many
from tollgate.catalog.profiles.base import IMAGES, Profile
from tollgate.catalog.rules import at
from tollgate.kit.problems import Problem, of_value

Schema = dict[str, Any]

_ONE = Many(1, 1)
# A value that no URL field accepts, instead of a list from which no single URL can be taken.
_NO_URL = None


def under_its_name(profile: type[Profile], source: dict[Any, Any]) -> dict[Any, Any]:
    """Return an input with the images under the model's own name if they came under the alias."""
    field = _field_sent_as_alias(profile, source)
    if field is None:
        return source
    images = source[IMAGES]
    if not _is_list(profile, field):
        images = images[0] if _problem_of_one(images) is None else _NO_URL
    return {**{name: value for name, value in source.items() if name != IMAGES}, field: images}


def as_sent(profile: type[Profile], source: dict[Any, Any], problem: Problem) -> Problem:
    """Return a problem of the renamed input with the path in `source`, the original input."""
    field = _field_sent_as_alias(profile, source)
    if field is None:
        return problem
    real = at(field)
    if problem.path != real and not problem.path.startswith(f"{real}/"):
        return problem
    if _is_list(profile, field):
        return replace(problem, path=at(IMAGES) + problem.path.removeprefix(real))
    return _problem_of_one(source[IMAGES]) or replace(problem, path=at(IMAGES, 0))


def refused_images(profile: type[Profile]) -> Problem:
    """Return the problem of the alias if it is not a name of one field: the names to send instead."""
    field, fields = profile.aliased_field(), profile.image_fields()
    if field is not None:
        return Problem(at(IMAGES), f"Cannot be combined with {field}, because both are the same field.")
    if not fields:
        return Problem(at(IMAGES), f"Unknown field {IMAGES!r}. This model takes no images.")
    names = ", ".join(fields)
    return Problem(at(IMAGES), f"Unknown field {IMAGES!r}. Images of this model have the names {names}.")


def with_alias(profile: type[Profile], schema: Schema) -> Schema:
    """Return the JSON Schema of an input that accepts the alias too."""
    field = profile.aliased_field()
    if field is None:
        return schema
    own = schema["properties"][field]
    shown = own if _is_list(profile, field) else {"type": "array", "items": own, **_ONE.schema()}
    shown = {**shown, "title": "Images", "description": f"Another name of {field}. Do not send both."}
    # A request has at most one name, so each rule applies to that name. A rule of the profile can also read
    # `imageUrls` although the model lacks this field. It then reads the name that is not in the request.
    swapped = {field: IMAGES, IMAGES: field}
    rules: list[Schema] = [
        {"if": {"required": [IMAGES]}, "then": renamed, "else": one} if renamed != one else one
        for one in schema.get("allOf", [])
        for renamed in [_renamed(one, swapped)]
    ]
    required = schema.get("required", [])
    names: list[Schema] = [{"required": [field]}, {"required": [IMAGES]}]
    changed = {
        "properties": {**schema["properties"], IMAGES: shown},
        "allOf": [*rules, {"oneOf": names} if field in required else {"not": {"allOf": names}}],
    }
    others = {"required": [name for name in required if name != field]} if required else {}
    return {**schema, **others, **changed}


def _field_sent_as_alias(profile: type[Profile], source: dict[Any, Any]) -> str | None:
    """Return the model's name of the images that an input has only as `imageUrls`, if it has them."""
    field = profile.aliased_field()
    return None if IMAGES not in source or field in source else field


def _is_list(profile: type[Profile], field: str) -> bool:
    return isinstance(profile.kinds()[field], Many)


def _problem_of_one(images: Any) -> Problem | None:
    """Return the problem of the alias of a field for a single URL: anything but a list of one item."""
    try:
        _ONE.check(images)
    except PydanticCustomError as error:
        context = error.context or {}
        return of_value(Problem(at(IMAGES), context["message"], context["allowed"]), images)
    return None


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a rule's schema with other names of properties, also in its lists of required names."""
    if isinstance(schema, dict):
        return {names.get(key, key): _renamed(one, names) for key, one in schema.items()}
    if isinstance(schema, list):
        return [_renamed(one, names) for one in schema]
    return names.get(schema, schema) if isinstance(schema, str) else schema
