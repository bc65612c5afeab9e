"""Values that match a JSON schema, for the arguments of a tool call or a structured response."""

from typing import Any

MAX_DEPTH = 20

_PLAIN: dict[str, Any] = {
    "string": "sample",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "array": [],
}


def sample(schema: Any, depth: int = MAX_DEPTH, definitions: Any = None) -> Any:
    """Return a value for `schema`, always the same. A value that is nested too deeply is an empty object.

    `definitions` are the targets of `$ref`, by default the schema's `$defs`.
    """
    if not isinstance(schema, dict) or depth == 0:
        return {}
    known = schema.get("$defs", {}) if definitions is None else definitions
    if (meant := _meant(schema, known)) is not None:
        return sample(meant, depth - 1, known)
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    return _of_kind(schema, depth, known)


def _meant(schema: dict[str, Any], known: Any) -> Any:
    """Return the target of a schema's reference, or the first of its alternatives; else `None`."""
    if isinstance(schema.get("$ref"), str):
        return known.get(schema["$ref"].rpartition("/")[2], {})
    several = schema.get("anyOf") or schema.get("oneOf")
    return several[0] if isinstance(several, list) and several and "type" not in schema else None


def _of_kind(schema: dict[str, Any], depth: int, known: Any) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "array" and "items" in schema:
        return [sample(schema["items"], depth - 1, known)]
    if isinstance(kind, str) and kind in _PLAIN:
        return _PLAIN[kind]
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    # Optional fields can exclude each other: Claude Code refuses a search with both lists of domains.
    wanted = required if isinstance(required, list) and required else named
    return {name: sample(value, depth - 1, known) for name, value in named.items() if name in wanted}
