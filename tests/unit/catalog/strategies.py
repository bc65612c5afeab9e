"""Valid inputs for each model: drawn from its published JSON Schema, then made to keep to the rules between
fields by hand-made fixes, one per profile."""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.unit.catalog.fixes import FIXES
from tests.unit.catalog.sketch import URLS, Input, Sketch, words
from tollgate.catalog.media import Measured
from tollgate.catalog.models import Model
from tollgate.catalog.params import schema_of
from tollgate.catalog.profiles.base import Profile
from tollgate.catalog.rules import CheckedInput

ANYTHING = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@st.composite
def valid_inputs(draw: st.DrawFn, model: Model) -> Input:
    """Draw an `input` that `model` must accept."""
    schema, values = _published(model.input_class)
    source = {
        name: draw(value)
        for name, value in values.items()
        if name in schema.get("required", []) or draw(st.booleans())
    }
    FIXES.get(model.profile, _leave)(Sketch(draw, source, values, schema["properties"]))
    return source


@st.composite
def measures(draw: st.DrawFn, model: Model, checked: CheckedInput) -> Measured:
    """Draw what a probe may find: seconds to the millisecond (0 without a source), and sizes with a price."""
    tiers = {name: model.pricing.tiers(name) or [9_999] for name in model.input_class.sizes}
    # Mostly at the bounds of prices.
    sizes = {
        name: draw(st.integers(1, found[-1]) | st.sampled_from(found).flatmap(_around(found[-1])))
        for name, found in tiers.items()
    }
    fields = {one.field for one in model.input_class.media if one.is_source and one.applies(checked.values)}
    if not fields & checked.values.keys():
        return Measured(sizes=sizes)
    return Measured(Decimal(draw(st.integers(3_000, 10_000))) / 1000, sizes)


def _around(most: int) -> Callable[[int], st.SearchStrategy[int]]:
    return lambda bound: st.integers(max(1, bound - 1), min(most, bound + 1))


@cache
def _published(profile: type[Profile]) -> tuple[dict[str, Any], dict[str, st.SearchStrategy[Any]]]:
    """Return the schema of a model's input, and what each of its fields may be."""
    schema = schema_of(profile)
    defs = schema.get("$defs", {})
    # Without `imageUrls` as another name, because both names together are refused.
    own = {name: one for name, one in schema["properties"].items() if name in profile.published()}
    return {**schema, "properties": own}, {name: _value(one, defs) for name, one in own.items()}


@cache
def any_json() -> st.SearchStrategy[Any]:
    """Draw anything that a JSON body can hold, half surrogate pairs, NaN and huge numbers included."""
    text = st.text(st.characters(), max_size=12)
    leaf = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | text
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=8,
    )


def _leave(sketch: Sketch) -> None:
    """Leave a sketch as it is: the profile has no rules between fields."""


def _value(schema: dict[str, Any], defs: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        part = defs[schema["$ref"].rpartition("/")[2]]
        fields = {name: _value(one, defs) for name, one in part["properties"].items()}
        required = {name: fields.pop(name) for name in part.get("required", [])}
        return st.fixed_dictionaries(required, optional=fields)
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "type" not in schema:
        return ANYTHING  # deprecated: anything goes
    return TYPES[schema["type"]](schema, defs)


def _array(schema: dict[str, Any], defs: dict[str, Any]) -> st.SearchStrategy[Any]:
    items = _value(schema["items"], defs)
    return st.lists(items, min_size=schema["minItems"], max_size=schema["maxItems"])


def _number(schema: dict[str, Any], _: dict[str, Any]) -> st.SearchStrategy[Any]:
    hundredths = st.integers(int(schema["minimum"] * 100), int(schema["maximum"] * 100))
    return hundredths.map(lambda number: number / 100)


def _string(schema: dict[str, Any], _: dict[str, Any]) -> st.SearchStrategy[Any]:
    if schema.get("format") == "uri":
        return URLS
    pattern = schema.get("pattern", r"\S")
    return words(schema["maxLength"]) if pattern == r"\S" else st.from_regex(pattern, fullmatch=True)


TYPES: dict[str, Callable[[dict[str, Any], dict[str, Any]], st.SearchStrategy[Any]]] = {
    "array": _array,
    "boolean": lambda schema, defs: st.booleans(),
    "integer": lambda schema, defs: st.integers(schema["minimum"], schema["maximum"]),
    "number": _number,
    "string": _string,
}
