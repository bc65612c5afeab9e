"""Describes the schemas of Tollgate's OpenAPI document in words, for pages. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Schema = Mapping[str, Any]

MAX_SHOWN_CHOICES = 24
_SCHEMAS = "#/components/schemas/"
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object in words. `refers_to` is the name of a schema with details."""

    name: str
    kind: str
    required: bool
    about: str
    refers_to: str | None = None


def fields(schema: Schema, schemas: Mapping[str, Schema]) -> list[Field]:
    """Return the fields of an object, after resolving its reference and with the fields of each `allOf`."""
    schema = resolved(schema, schemas)
    own, required = schema.get("properties", {}), schema.get("required", [])
    inherited = [field for part in schema.get("allOf", []) for field in fields(part, schemas)]
    # A part that only adds details to a field, such as its exclusions, is not another field.
    found = {field.name: field for field in inherited if field.name not in own}
    for name, one in own.items():
        found[name] = _field(name, one, schemas, required=name in required)
    return list(found.values())


def objects(rows: Sequence[Field], schemas: Mapping[str, Schema]) -> dict[str, list[Field]]:
    """Return the fields of each object that the rows refer to, directly or by another object, by its name."""
    found: dict[str, list[Field]] = {}
    waiting = list(rows)
    for row in waiting:
        if row.refers_to and row.refers_to not in found:
            found[row.refers_to] = fields(schemas[row.refers_to], schemas)
            waiting += found[row.refers_to]
    return found


def parameters(operation: Mapping[str, Any], schemas: Mapping[str, Schema]) -> list[Field]:
    """Return the parameters of an operation, with the place of each."""
    found = []
    for one in operation.get("parameters", []):
        field = _field(one["name"], one["schema"], schemas, required=one.get("required", False))
        about = one.get("description", "") or field.about
        found.append(replace(field, kind=f"{one['in']}: {field.kind}", about=about))
    return found


def resolved(schema: Schema, schemas: Mapping[str, Schema]) -> Schema:
    """Return the target of a reference, or the schema itself if it is not a reference."""
    name = reference_of(schema)
    return schema if name is None else schemas[name]


def reference_of(schema: Schema) -> str | None:
    """Return the name of the schema to which a schema refers, directly, in its items or in a choice."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_SCHEMAS)
    if "items" in schema:
        return reference_of(schema["items"])
    return next(filter(None, map(reference_of, schema.get("anyOf", []))), None)


def kind_of(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    """Return the accepted values of a schema in words."""
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_SCHEMAS)
        return name if "properties" in schemas[name] else kind_of(schemas[name], schemas)
    if "anyOf" in schema:
        return " or ".join(kind_of(one, schemas) for one in schema["anyOf"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if schema.get("type") == "array":
        return ", ".join([f"array of {kind_of(schema.get('items', {}), schemas)}", *_bounds(schema)])
    if "enum" in schema:
        return _choices(schema["enum"])
    kinds = schema.get("type", "any value")
    named = " or ".join(kinds) if isinstance(kinds, list) else kinds
    return ", ".join([named, *_bounds(schema)])


def _field(name: str, schema: Schema, schemas: Mapping[str, Schema], *, required: bool) -> Field:
    kind = kind_of(schema, schemas)
    if "default" in schema:
        kind += f"; default {json.dumps(schema['default'], ensure_ascii=False)}"
    target = reference_of(schema)
    is_object = target is not None and "properties" in schemas[target]
    about = schema.get("description", "") or resolved(schema, schemas).get("description", "")
    return Field(name, kind, required, about, target if is_object else None)


def _choices(values: list[Any]) -> str:
    if len(values) == 1:
        return json.dumps(values[0], ensure_ascii=False)
    shown = [json.dumps(value, ensure_ascii=False) for value in values[:MAX_SHOWN_CHOICES]]
    more = [f"… ({len(values)} in all)"] if len(values) > MAX_SHOWN_CHOICES else []
    return "one of " + ", ".join([*shown, *more])


def _bounds(schema: Schema) -> Iterator[str]:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is not None and least == most:
        yield f"exactly {most} items"
        schema = {key: one for key, one in schema.items() if key not in ("minItems", "maxItems")}
    for key, words in _BOUNDS.items():
        # A minimum of 0 items or characters is not a limit, and the maximum length of a URL helps no reader.
        says_nothing = schema.get(key) == 0 and key.startswith("min") and key != "minimum"
        if key in schema and not says_nothing and not (key == "maxLength" and schema.get("format") == "uri"):
            yield (
                words.format(schema[key])
                .replace(" 1 items", " 1 item")
                .replace(" 1 characters", " 1 character")
            )
