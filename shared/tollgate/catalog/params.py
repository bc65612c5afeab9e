"""The published input of a model, derived from the class that checks it: what is shown is what is checked."""

from typing import Any

from pydantic.fields import FieldInfo

from tollgate.catalog.kinds import Choice, Flag, Ignored, Kind, Many, Number, Text, Url, Whole, item_of
from tollgate.catalog.models import Model


def descriptors(model: Model) -> list[dict[str, Any]]:
    """Give the model's `params` (interface.md, "Param descriptor"), optional keys left out where empty."""
    fields, kinds = model.input_class.published(), model.input_class.kinds()
    return [_descriptor(name, info, kinds[name]) for name, info in fields.items()]


def json_schema(model: Model) -> dict[str, Any]:
    """Give the model's `input` as JSON Schema; rules between fields are not in it."""
    schema: dict[str, Any] = model.input_class.model_json_schema()
    hidden = model.input_class.hidden
    schema |= {"title": model.id, "description": model.description}
    for part in schema.get("$defs", {}).values():
        part.pop("description", None)  # it is a docstring, written for us
    schema["properties"] = {
        name: _without_null_default(one) for name, one in schema["properties"].items() if name not in hidden
    }
    return schema


def _descriptor(name: str, info: FieldInfo, kind: Kind) -> dict[str, Any]:
    many = isinstance(kind, Many)
    leaf = item_of(info) if many else kind
    shown: dict[str, Any] = {
        "name": name,
        "label": info.title,
        "description": info.description,
        "kind": _param_kind(leaf),
        "isArray": many,
        "required": info.is_required(),
    }
    if not info.is_required() and info.default is not None:
        shown["default"] = info.default
    return {**shown, **_bounds(leaf), **_flags(leaf)}


def _param_kind(leaf: Kind | None) -> str:
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


def _bounds(leaf: Kind | None) -> dict[str, Any]:
    match leaf:
        case Choice(values=values):
            return {"options": [{"value": value, "label": str(value)} for value in values]}
        case Whole(minimum=low, maximum=high) | Number(minimum=low, maximum=high):
            return {"minimum": low, "maximum": high}
        case Text(max_length=length):
            return {"maxLength": length}
        case _:
            return {}


def _flags(leaf: Kind | None) -> dict[str, bool]:
    return {
        # An object stands for an image with its role: it is media that carries something more.
        "isMedia": leaf is None or isinstance(leaf, Url),
        "isPrompt": isinstance(leaf, Text) and leaf.prompt,
        "multiline": isinstance(leaf, Text) and leaf.multiline,
        "deprecated": isinstance(leaf, Ignored),
    }


def _without_null_default(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "default" or value is not None}
