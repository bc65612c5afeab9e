"""The part of a generation's input that its public page shows, and that a remix starts with. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.kit.ids import is_id

# Ids that only their account can use.
PRIVATE = ("task", "file")


def public_values(params: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the published `params` that are text, a number or a switch, by name.

    Files and earlier generations are left out: only their account may use them.
    """
    plain = [param["name"] for param in params if not param["isMedia"] and param["name"] in values]
    return {name: values[name] for name in plain if _is_public(values[name])}


def labelled(params: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the label and text of each public value, in the order of the model's form."""
    public = public_values(params, values)
    return [(param["label"], _text(public[param["name"]])) for param in params if param["name"] in public]


def _is_public(value: Any) -> bool:
    if isinstance(value, str):
        return not any(is_id(prefix, value) for prefix in PRIVATE)
    return isinstance(value, bool | int | float)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
