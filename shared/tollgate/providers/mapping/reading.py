"""Finding one's way in a provider's JSON, of which nothing is certain. Pure."""

from typing import Any


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of an array; none where it is no array."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """Return the texts of an array, or the one that stands in its place; none where there is none."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str) and one]
