"""Valid inputs for each model, made from its published JSON Schema and hand-made rules between fields."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema

Input = dict[str, Any]
Fix = Callable[[st.DrawFn, Input], None]

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda text: text.strip())
URLS = st.integers(0, 10**6).map(lambda number: f"https://media.example/{number}.png")
SEEDLESS_JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@st.composite
def valid_inputs(draw: st.DrawFn, model: Model) -> Input:
    """Draw an `input` that `model` must accept."""
    schema = json_schema(model)
    source = {
        name: draw(_value(one, schema.get("$defs", {})))
        for name, one in schema["properties"].items()
        if name in schema.get("required", []) or draw(st.booleans())
    }
    FIXES[model.id](draw, source)
    return source


def any_json() -> st.SearchStrategy[Any]:
    """Draw anything that a JSON body can hold, half surrogate pairs, NaN and huge numbers included."""
    text = st.text(st.characters(), max_size=12)
    leaf = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | text
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner), max_leaves=8
    )


def _value(schema: dict[str, Any], defs: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        part = defs[schema["$ref"].rpartition("/")[2]]
        return st.fixed_dictionaries({name: _value(one, defs) for name, one in part["properties"].items()})
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "type" not in schema:
        return SEEDLESS_JSON  # deprecated: anything goes
    return _typed(schema, defs)


def _typed(schema: dict[str, Any], defs: dict[str, Any]) -> st.SearchStrategy[Any]:
    match schema["type"]:
        case "array":
            items = _value(schema["items"], defs)
            return st.lists(items, min_size=schema["minItems"], max_size=schema["maxItems"])
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "number":
            hundredths = st.integers(int(schema["minimum"] * 100), int(schema["maximum"] * 100))
            return hundredths.map(lambda number: number / 100)
        case _:
            return URLS if schema.get("format") == "uri" else WORDS


def _size_for_a_new_picture(draw: st.DrawFn, source: Input) -> None:
    if "urls" not in source:
        source.setdefault("size", draw(st.sampled_from(["1:1", "4:3", "3:4", "16:9", "9:16"])))


def _frames_or_references(draw: st.DrawFn, source: Input) -> None:
    if source.get("imageWithRoles"):
        source.pop("imageUrls", None)
        roles = draw(
            st.sampled_from([["first_frame"], ["first_frame", "last_frame"], ["last_frame", "first_frame"]])
        )
        source["imageWithRoles"] = [{"url": draw(URLS), "role": role} for role in roles]
    if not source.get("imageWithRoles") and not source.get("imageUrls"):
        source.setdefault("prompt", draw(WORDS))


def _words_or_a_style(draw: st.DrawFn, source: Input) -> None:
    if not (source.get("instrumental") and "styles" in source):
        source.setdefault("prompt", draw(WORDS))


FIXES: dict[str, Fix] = {
    "z-image": _size_for_a_new_picture,
    "seedance-1.5-pro": _frames_or_references,
    "suno": _words_or_a_style,
}
