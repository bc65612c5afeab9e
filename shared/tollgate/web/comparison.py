"""The inputs of models in a few words, and the inputs of several models side by side. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

Param = Mapping[str, Any]
MEDIA = {"image": "image", "img": "image", "video": "video", "audio": "audio file"}
# A model's published fields, and its input as JSON Schema, which has the lengths and items of lists.
Takes = tuple[Sequence[Param], Mapping[str, Any]]


def compared_inputs(of_models: Sequence[Takes]) -> list[tuple[str, list[str]]]:
    """Return the label of each field of these models, with the values that each model accepts.

    Models use different names for the same thing (`size`, `aspectRatio`), so fields are matched by label. The
    text is empty if a model lacks the field. Fields of more models come first; ties keep the models' order.
    """
    by_label = [
        {param["label"]: taken(param, schema) for param in params if not param["deprecated"]}
        for params, schema in of_models
    ]
    labels = dict.fromkeys(label for fields in by_label for label in fields)
    rows = [(label, [fields.get(label, "") for fields in by_label]) for label in labels]
    return sorted(rows, key=lambda row: row[1].count(""))


def taken(param: Param, schema: Mapping[str, Any]) -> str:
    """Return the accepted values of a field in a few words: `up to 2 files`, `720p, 1080p`, `3 to 15`."""
    if not param["isArray"]:
        return _value(param)
    field = schema["properties"][param["name"]]
    least, most = field.get("minItems", 0), field["maxItems"]
    many = f"{least} to {most}" if 1 < least < most else f"{most}" if least == most else f"up to {most}"
    part = schema.get("$defs", {}).get(field["items"].get("$ref", "").rpartition("/")[2])
    if part is not None:
        return f"{many}, each with {_properties(part)}"
    return f"{many} {_noun(param, most)}"


def _value(param: Param) -> str:
    if "options" in param:
        return ", ".join(str(option["label"]) for option in param["options"])
    low, high = param.get("minimum"), param.get("maximum")
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    if param.get("maxLength"):
        return f"up to {param['maxLength']:,} characters"
    if param["kind"] == "boolean":
        return "on or off"
    return {"number": "a number", "object": "an object"}.get(param["kind"]) or f"1 {_noun(param, 1)}"


def _noun(param: Param, count: int) -> str:
    name = param["name"].lower()
    media = next((kind for part, kind in MEDIA.items() if part in name), "file")
    noun = media if param["isMedia"] else "text"
    return noun if count == 1 else f"{noun}s"


def _properties(part: Mapping[str, Any]) -> str:
    """Return the fields of an object in a list, with the allowed values of fields that have a fixed set."""
    values = {
        name: one.get("enum") or [one["const"]] for name, one in part["properties"].items() if _few(one)
    }
    return "; ".join(
        f"{name}: {', '.join(map(str, values[name]))}" if name in values else name
        for name in part["properties"]
    )


def _few(schema: Mapping[str, Any]) -> bool:
    return "enum" in schema or "const" in schema
