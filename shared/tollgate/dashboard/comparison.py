"""What several models take, side by side. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

Param = Mapping[str, Any]


def compared_inputs(of_models: Sequence[Sequence[Param]]) -> list[tuple[str, list[str]]]:
    """Return, for each field that one of the models takes, its label and what each takes there.

    Models name one thing differently (`size`, `aspectRatio`), so fields are matched by their label. What a
    model does not take is an empty text. Fields are in the order in which models name them.
    """
    by_label = [
        {param["label"]: param for param in params if not param["deprecated"]} for params in of_models
    ]
    labels = dict.fromkeys(label for params in by_label for label in params)
    return [(label, [_taken(params.get(label)) for params in by_label]) for label in labels]


def _taken(param: Param | None) -> str:
    """Return what a field takes, in a few words."""
    if param is None:
        return ""
    if "options" in param:
        return ", ".join(str(option["label"]) for option in param["options"])
    low, high = param.get("minimum"), param.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if param.get("maxLength"):
        return f"up to {param['maxLength']:,} characters"
    if param["kind"] == "boolean":
        return "on or off"
    return "several" if param["isArray"] else "yes"
