"""The form of a model: from the published `params` to HTML fields, and from what was sent to `input`. Pure.

What equals a default is left out of the input, so the code to copy has only what the customer chose. A choice
among values is always sent: some models want it said in some cases, although it has a default in others.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tollgate.kit.errors import Problem

# In front of a field's name, so that no field of a model is taken for one of ours.
PREFIX = "input."

Widget = Literal["text", "prompt", "number", "switch", "choice", "lines", "json"]
Param = Mapping[str, Any]
_PLAIN: dict[str, Widget] = {"boolean": "switch", "number": "number"}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form. `value` is what it shows: text, or whether a switch is on."""

    param: Param
    widget: Widget
    value: str | bool

    @property
    def name(self) -> str:
        """Return the name under which the field is sent."""
        return PREFIX + str(self.param["name"])

    @property
    def is_basic(self) -> bool:
        """Return whether the field is shown at once; all others are behind "More options"."""
        return bool(self.param["required"] or self.param["isPrompt"] or self.widget == "choice")


def form_of(params: Sequence[Param], values: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of a model, filled in with `values` (an earlier input) or with the defaults."""
    return [
        FormField(param, widget_of(param), _shown(param, values.get(param["name"], param.get("default"))))
        for param in params
        if not param["deprecated"]
    ]


def sent_by(form: Sequence[FormField]) -> dict[str, str]:
    """Return what a browser sends of a form that nobody has touched."""
    shown = {field.name: field.value for field in form}
    return {name: value if isinstance(value, str) else "on" * value for name, value in shown.items()}


def widget_of(param: Param) -> Widget:
    """Return the kind of field that a param descriptor (docs/contract.md#param-descriptor) is shown as."""
    if param["kind"] == "object":
        return "json"
    if param["isArray"]:
        return "lines"
    if "options" in param:
        return "choice"
    if param["kind"] in _PLAIN:
        return _PLAIN[param["kind"]]
    return "prompt" if param["multiline"] else "text"


def input_of(params: Sequence[Param], sent: Mapping[str, str]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the `input` that the fields in `sent` mean, and what could not be read.

    Only what a form can break is told here; the model's own rules are checked as for any other caller.
    """
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for param in params:
        text = sent.get(PREFIX + param["name"], "").strip()
        try:
            value = _read(param, text)
        except ValueError as exc:
            problems.append(Problem(f"/input/{param['name']}", str(exc)))
            continue
        if value is not None and ("options" in param or value != param.get("default")):
            values[param["name"]] = value
    return values, problems


def _read(param: Param, text: str) -> Any:
    """Return a field's value; `None` for an empty field, and for a switch without a default that is off."""
    widget = widget_of(param)
    if widget == "switch":
        return True if text else (False if param.get("default") else None)
    if not text:
        return None
    match widget:
        case "json":
            return _json(text)
        case "lines":
            items = [line.strip() for line in text.splitlines() if line.strip()]
            return [_number(item) for item in items] if param["kind"] == "number" else items
        case _:
            return _number(text) if param["kind"] == "number" else text


def _number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError as exc:
        raise ValueError("Must be a number.") from exc
    if not math.isfinite(number):
        raise ValueError("Must be a number.")
    # An integer is read from its digits: a seed has more of them than a float holds.
    return int(text) if text.lstrip("+-").isdecimal() else number


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as exc:
        raise ValueError("Is not valid JSON.") from exc


def _shown(param: Param, value: Any) -> str | bool:
    match widget_of(param):
        case "switch":
            return bool(value)
        case _ if value is None:
            return ""
        case "json":
            return json.dumps(value, ensure_ascii=False)
        case "lines":
            return "\n".join(str(item) for item in value)
        case _:
            return str(value)
