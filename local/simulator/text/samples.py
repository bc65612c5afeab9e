"""Values that a JSON schema allows: the arguments of a tool call, a structured answer."""

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


def sample(schema: Any, depth: int = MAX_DEPTH) -> Any:
    """Return one value for `schema`, always the same; an empty object for what is nested too deeply."""
    if not isinstance(schema, dict) or depth == 0:
        return {}
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "array" and "items" in schema:
        return [sample(schema["items"], depth - 1)]
    if isinstance(kind, str) and kind in _PLAIN:
        return _PLAIN[kind]
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    return {name: sample(value, depth - 1) for name, value in named.items()}
