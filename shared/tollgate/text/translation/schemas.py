"""JSON schemas for structured output, as Anthropic takes them (docs/text-protocols.md#chat-to-messages)."""

from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

MAX_SCHEMA_DEPTH = 64

_UNSUPPORTED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    }
)
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_VERBATIM = frozenset({"enum", "const", "default", "examples", "required"})


def portable_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` without bounds on numbers and lengths, and with every object closed.

    Raises `InvalidInputError` for a schema that is nested too deeply.
    """
    return _schema(schema, MAX_SCHEMA_DEPTH)


def _schema(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    if depth == 0:
        path = "/response_format/json_schema/schema"
        raise InvalidInputError([Problem(path, f"Is nested deeper than {MAX_SCHEMA_DEPTH} levels.")])
    kept = {
        name: value if name in _VERBATIM else _part(name, value, depth)
        for name, value in schema.items()
        if name not in _UNSUPPORTED
    }
    return {**kept, "additionalProperties": False} if schema.get("type") == "object" else kept


def _part(name: str, value: Any, depth: int) -> Any:
    if isinstance(value, list):
        return [_schema(item, depth - 1) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    if name not in _NAMED_SCHEMAS:
        return _schema(value, depth - 1)
    # The keys are the customer's property names here, and may equal keywords.
    return {key: _schema(item, depth - 1) if isinstance(item, dict) else item for key, item in value.items()}
