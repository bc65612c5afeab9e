"""The form of a model: from published `params` to HTML fields, and from the sent fields to `input`. Pure.

A value that equals its default is left out of the input, so the code examples contain only the customer's
choices. A choice among values is always sent, because some models require it in some cases although it has a
default in others.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tollgate.catalog.rules import Choosing
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem

# A seed is an integer of at most 64 bits.
MAX_WHOLE = 2**63 - 1
# Prepended to a field's name, so that it cannot collide with the page's own fields.
PREFIX = "input."

Widget = Literal["text", "prompt", "number", "switch", "choice", "chips", "files", "lines", "json"]
Param = Mapping[str, Any]
# At most this many values are shown side by side, otherwise a list. Ratios are small, so more of them fit.
MAX_CHIPS = 6
MAX_RATIO_CHIPS = 16
# A number with a wider range, such as a seed, has no slider. A narrow one has steps below 1.
MAX_SLIDER_SPAN = 1000
MIN_WHOLE_SPAN = 5
# Height of the frame around the drawing of a ratio.
RATIO_HEIGHT = 16
_PLAIN: dict[str, Widget] = {"boolean": "switch", "number": "number"}
_RATIO = re.compile(r"(\d{1,2}):(\d{1,2})")
# A camel-case name, which is not an English word.
_NAME = re.compile(r"\b[a-z]+(?:[A-Z][a-z]*)+\b")
_KINDS = {"video": ("video", "clip", "motion"), "audio": ("audio", "voice", "track", "song", "music")}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form. `value` is its content: a text, or whether a switch is on."""

    param: Param
    widget: Widget
    value: str | bool
    choosers: Sequence[Choosing] = ()

    @property
    def name(self) -> str:
        """Return the name under which the field is sent."""
        return PREFIX + str(self.param["name"])

    @property
    def default(self) -> str | bool:
        """Return the content of the field before the customer changes it."""
        return _shown(self.param, self.param.get("default"))

    @property
    def takes(self) -> str:
        """Return the kind of files that the field accepts: `image`, `video` or `audio`."""
        words = f"{self.param['name']} {self.param['label']}".casefold()
        return next((kind for kind, names in _KINDS.items() if any(name in words for name in names)), "image")

    @property
    def slider_step(self) -> str | None:
        """Return the step of a slider beside a number with two bounds; `None` if it would be too coarse."""
        low, high = self.param.get("minimum"), self.param.get("maximum")
        if self.widget != "number" or low is None or high is None or high - low > MAX_SLIDER_SPAN:
            return None
        is_whole = float(self.param.get("default") or 0).is_integer()
        return "1" if is_whole and high - low >= MIN_WHOLE_SPAN else "0.05"

    @property
    def shown_with(self) -> str | None:
        """Return, as JSON, the values of other fields with which this one may be sent; `None` if with all."""
        return _as_conditions(self.choosers, [one.allowed.get(self.param["name"]) for one in self.choosers])

    @property
    def needed_with(self) -> str | None:
        """Return, as JSON, the values of other fields with which this one must be sent."""
        return _as_conditions(self.choosers, [one.needed.get(self.param["name"]) for one in self.choosers])

    @property
    def is_basic(self) -> bool:
        """Return whether the field is always visible. All others are behind "More options"."""
        if self.param["required"] or self.param["isPrompt"] or self.shown_with is not None:
            return True
        return self.widget in ("choice", "chips", "files")


def _as_conditions(choosers: Sequence[Choosing], values: Sequence[Collection[Any] | None]) -> str | None:
    found = {
        PREFIX + one.chooser: ["" if value is None else str(value) for value in some]
        for one, some in zip(choosers, values, strict=True)
        if some
    }
    return json.dumps(found) if found else None


def form_of(
    params: Sequence[Param],
    values: Mapping[str, Any],
    choosers: Sequence[Choosing] = (),
    translated: Callable[[str], str] = str,
) -> list[FormField]:
    """Return the fields of a model, filled in with `values` (an earlier input) or the defaults.

    `choosers` are the model's rules about which fields belong to which choice. `translated` returns the
    translation of a label or description.
    """
    labels = {param["name"]: translated(param["label"]) for param in params}
    return [
        FormField(
            {**param, "description": in_labels(translated(param["description"]), labels)},
            widget_of(param),
            _shown(param, values.get(param["name"], param.get("default"))),
            choosers,
        )
        for param in params
        if not param["deprecated"]
    ]


def in_labels(text: str, labels: Mapping[str, str]) -> str:
    """Return a text with the names of fields in the API replaced by their labels in the form."""
    return _NAME.sub(lambda found: f'"{labels[found[0]]}"' if found[0] in labels else found[0], text)


def in_use(form: Sequence[FormField], sent: Mapping[str, str]) -> list[FormField]:
    """Return the fields that belong to the choices in `sent`. The other fields are hidden."""
    chosen = {field.name: field.value for field in form} | dict(sent)
    return [
        field
        for field in form
        if all(
            chosen.get(name, "") in values for name, values in json.loads(field.shown_with or "{}").items()
        )
    ]


def sent_by(form: Sequence[FormField]) -> dict[str, str]:
    """Return the fields that a browser sends if the customer changes nothing."""
    shown = {field.name: field.value for field in form}
    return {name: value if isinstance(value, str) else "on" * value for name, value in shown.items()}


def widget_of(param: Param) -> Widget:
    """Return the kind of form field for a param descriptor (site/catalog.md#fields-of-an-input)."""
    if param["kind"] == "object":
        return "json"
    if param["isMedia"]:
        return "files"
    if param["isArray"]:
        return "lines"
    if "options" in param:
        ratios = all(is_ratio(option["value"]) for option in param["options"])
        return "chips" if len(param["options"]) <= (MAX_RATIO_CHIPS if ratios else MAX_CHIPS) else "choice"
    if param["kind"] in _PLAIN:
        return _PLAIN[param["kind"]]
    return "prompt" if param["multiline"] else "text"


def is_ratio(value: Any) -> bool:
    """Return whether a value is a ratio of width and height, such as `16:9`, or lets the model choose."""
    return value in ("auto", "adaptive") or _RATIO.fullmatch(str(value)) is not None


def ratio_box(value: Any) -> tuple[float, float] | None:
    """Return width and height of a drawing of a ratio within `RATIO_HEIGHT`; `None` if it is not a ratio."""
    found = _RATIO.fullmatch(str(value))
    if found is None or "0" in found.groups():
        return None
    width, height = int(found[1]), int(found[2])
    longer = max(width, height)
    return round(RATIO_HEIGHT * width / longer, 1), round(RATIO_HEIGHT * height / longer, 1)


def input_of(params: Sequence[Param], sent: Mapping[str, str]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the `input` from the fields in `sent`, and the problems of unreadable fields.

    These are only problems that a form can cause. The model's own rules are checked later, as for any other
    caller.
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
    """Return a field's value; `None` for an empty field, and for a switch that is off and has no default."""
    widget = widget_of(param)
    if widget == "switch":
        return True if text else (False if param.get("default") else None)
    if not text:
        return None
    match widget:
        case "json":
            return _json(text)
        case "lines" | "files" if param["isArray"]:
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
    # An integer is read from its digits, because a seed has more digits than a float can hold.
    whole = digits(text.lstrip("+-"), 0, MAX_WHOLE)
    if whole is None:
        return number
    return -whole if text.startswith("-") else whole


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
        case "lines" | "files" if param["isArray"]:
            return "\n".join(str(item) for item in value)
        case _:
            return str(value)
