"""Reads a provider's JSON, which may have any shape. Pure."""

from typing import Any


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of an array; none for other values."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """Return the texts of an array, or a single text as a list; none for other values."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str) and one]
