"""Rows: plain values there and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.dynamodb.rows import attributes_text, from_attributes, to_attributes

NAMES = st.text(min_size=1, max_size=8)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(min_value=-(10**37), max_value=10**37), st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4)
)
ROWS = st.dictionaries(NAMES, VALUES, max_size=6)


class TestRoundTrip:
    @given(ROWS)
    def test_a_row_comes_back_as_it_was(self, row: dict[str, Any]) -> None:
        assert from_attributes(to_attributes(row)) == row

    @given(ROWS)
    def test_types_come_back_too(self, row: dict[str, Any]) -> None:
        # In Python, True == 1: equality alone would not tell.
        assert repr(from_attributes(to_attributes(row))) == repr(row)


class TestText:
    @given(ROWS)
    def test_is_the_typed_form_as_json(self, row: dict[str, Any]) -> None:
        assert json.loads(attributes_text(row)) == to_attributes(row)

    @pytest.mark.parametrize("value", [1.5, float("nan"), b"bytes", {1, 2}])
    def test_refuses_floats_and_other_types_too(self, value: object) -> None:
        with pytest.raises(TypeError, match=type(value).__name__):
            attributes_text({"x": [{"y": value}]})


class TestToAttributes:
    def test_each_type_has_its_mark(self) -> None:
        row = {"s": "x", "n": 5, "b": True, "z": None, "l": [1, "a"], "t": (2,), "m": {"k": False}}
        assert to_attributes(row) == {
            "s": {"S": "x"},
            "n": {"N": "5"},
            "b": {"BOOL": True},
            "z": {"NULL": True},
            "l": {"L": [{"N": "1"}, {"S": "a"}]},
            "t": {"L": [{"N": "2"}]},
            "m": {"M": {"k": {"BOOL": False}}},
        }

    @pytest.mark.parametrize("value", [1.5, 0.0, float("nan"), b"bytes", {1, 2}, object()])
    @pytest.mark.parametrize("deep", [False, True])
    def test_floats_and_other_types_are_refused_however_deep(self, value: object, deep: bool) -> None:
        with pytest.raises(TypeError, match=type(value).__name__):
            to_attributes({"x": [{"y": value}]} if deep else {"x": value})


class TestFromAttributes:
    @pytest.mark.parametrize("attribute", [{"B": b"x"}, {"SS": ["a"]}, {"NS": ["1"]}])
    def test_what_we_never_write_is_refused(self, attribute: dict[str, Any]) -> None:
        with pytest.raises(TypeError, match="never write"):
            from_attributes({"x": attribute})

    def test_a_fraction_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"1\.5"):
            from_attributes({"x": {"N": "1.5"}})
