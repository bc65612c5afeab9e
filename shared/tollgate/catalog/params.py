"""The published input of a model, derived from the class that checks it, so the two always agree."""

from typing import Any, Literal

from pydantic.fields import FieldInfo

from tollgate.catalog.image_alias import with_alias
from tollgate.catalog.kinds import (
    Choice,
    Flag,
    Ignored,
    Kind,
    Many,
    Number,
    Text,
    Whole,
    item_of,
    media_of,
)
from tollgate.catalog.models import Model
from tollgate.catalog.profiles.base import Profile
from tollgate.kit.response_shapes import Shape

NOT_BLANK = {"pattern": r"\S"}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class OptionView(Shape):
    """A value that a field accepts."""

    value: str | int | float | bool
    label: str


class ValuesView(Shape, total=False):
    """The values that a field accepts, and its default."""

    default: Any
    options: list[OptionView]
    minimum: float
    maximum: float
    maxLength: int


class ParamView(ValuesView):
    """A field of a model's input."""

    name: str
    label: str
    description: str
    kind: Literal["string", "number", "boolean", "object"]
    isArray: bool
    required: bool
    isMedia: bool
    isPrompt: bool
    multiline: bool
    deprecated: bool


def descriptors(model: Model) -> list[ParamView]:
    """Return the model's `params` (site/catalog.md#fields-of-an-input) without empty optional keys."""
    fields, kinds = model.input_class.published(), model.input_class.kinds()
    return [_descriptor(name, info, kinds[name]) for name, info in fields.items()]


def json_schema(model: Model) -> dict[str, Any]:
    """Return the model's `input` as JSON Schema."""
    named = {"$schema": DIALECT, "title": model.id, "description": model.description}
    return schema_of(model.input_class) | named


def schema_of(profile: type[Profile]) -> dict[str, Any]:
    """Return the JSON Schema of a `profile`'s input, with the rules between fields that it can express."""
    schema: dict[str, Any] = profile.model_json_schema()
    for part in schema.get("$defs", {}).values():
        part.pop("description", None)  # it is a docstring, written for us
        part["properties"] = {name: _without_null_default(one) for name, one in part["properties"].items()}
    schema["properties"] = {
        name: _without_null_default(one)
        for name, one in schema["properties"].items()
        if name not in profile.hidden
    }
    for name in schema.get("required", []):
        schema["properties"][name] |= NOT_BLANK if isinstance(profile.kinds()[name], Text) else {}
    rules = [one.schema for one in profile.rules if one.schema and not one.needs <= profile.hidden]
    return with_alias(profile, {**schema, "allOf": rules} if rules else schema)


def _descriptor(name: str, info: FieldInfo, kind: Kind) -> ParamView:
    many = isinstance(kind, Many)
    leaf = item_of(info) if many else kind
    values = _bounds(leaf)
    if not info.is_required() and info.default is not None:
        values["default"] = info.default
    return {
        "name": name,
        "label": info.title or name,
        "description": info.description or "",
        "kind": _param_kind(leaf),
        "isArray": many,
        "required": info.is_required(),
        "isPrompt": isinstance(leaf, Text) and leaf.prompt,
        "multiline": isinstance(leaf, Text) and leaf.multiline,
        "deprecated": isinstance(leaf, Ignored),
        "isMedia": bool(media_of(info)),
        **values,
    }


def _param_kind(leaf: Kind | None) -> Literal["string", "number", "boolean", "object"]:
    match leaf:
        case None:
            return "object"
        case Flag():
            return "boolean"
        case Whole() | Number():
            return "number"
        case Choice(numeric=True):
            return "number"
        case _:
            return "string"


def _bounds(leaf: Kind | None) -> ValuesView:
    match leaf:
        case Flag(only=bool(only)):
            return {"options": [{"value": only, "label": str(only).lower()}]}
        case Choice(values=values):
            return {"options": [{"value": value, "label": str(value)} for value in values]}
        case Whole(minimum=low, maximum=high) | Number(minimum=low, maximum=high):
            return {"minimum": low, "maximum": high}
        case Text(max_length=length):
            return {"maxLength": length}
        case _:
            return {}


def _without_null_default(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "default" or value is not None}
